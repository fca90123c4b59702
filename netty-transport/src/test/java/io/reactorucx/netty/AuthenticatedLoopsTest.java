package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loops that authenticate each other. */
@Tag("slow")
class AuthenticatedLoopsTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final String SECRET = "a secret of the two loops that is long enough";
    private static final String OTHER = "another secret that is as long as the first";

    private static TestLoops loops(String name, @Nullable String secret) {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTimeouts(TestTime.seconds(2), Duration.ofSeconds(2),
                Duration.ofSeconds(10), Duration.ofMinutes(1));
        return new TestLoops(name, 1, secret == null ? config
                : config.withAuthenticator(Authenticator.sharedSecret(secret.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void loopsOfOneSecretExchangeBytes() {
        try (TestLoops serverLoops = loops("server", SECRET); TestLoops clientLoops = loops("client", SECRET)) {
            Channel server = EchoChannel.serve(serverLoops);
            EchoChannel channel = EchoChannel.connect(clientLoops, server.localAddress());
            channel.echo();
            channel.channel().close().syncUninterruptibly();
            server.close().syncUninterruptibly();
            serverLoops.awaitNoChannels();
            clientLoops.awaitNoChannels();
        }
    }

    @ParameterizedTest
    @CsvSource({SECRET + "," + OTHER, SECRET + ",", "," + SECRET})
    void noByteGoesBetweenOthers(@Nullable String serverSecret, @Nullable String clientSecret) {
        try (TestLoops serverLoops = loops("server", serverSecret);
                TestLoops clientLoops = loops("client", clientSecret)) {
            List<Throwable> errors = TestLoops.refusals(serverLoops, clientLoops, "no link to the loop at");
            await().atMost(LIMIT).untilAsserted(() ->
                    assertThat(errors).singleElement().isInstanceOf(IOException.class));
        }
    }
}
