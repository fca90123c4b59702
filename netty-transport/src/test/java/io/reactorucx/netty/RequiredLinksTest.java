package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.channel.Channel;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loops that require the transports of their links. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RequiredLinksTest {

    private static TestLoops loops(String name, @Nullable UcxTransportKind required) {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTransports("posix", "tcp").withTimeouts(
                TestTime.seconds(2), Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(1));
        return new TestLoops(name, 1, required == null ? config : config.withRequiredTransports(required));
    }

    @ParameterizedTest
    @CsvSource({"SHARED_MEMORY,", ",SHARED_MEMORY", "SHARED_MEMORY,SHARED_MEMORY"})
    void whatIsTakenCarriesBytes(@Nullable UcxTransportKind ofServer, @Nullable UcxTransportKind ofClient) {
        try (TestLoops serverLoops = loops("server", ofServer); TestLoops clientLoops = loops("client", ofClient)) {
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
    @CsvSource({"TCP,", ",TCP", "TCP,TCP", "TCP,SHARED_MEMORY"})
    void noByteGoesOverAnother(@Nullable UcxTransportKind ofServer, @Nullable UcxTransportKind ofClient) {
        try (TestLoops serverLoops = loops("server", ofServer); TestLoops clientLoops = loops("client", ofClient)) {
            TestLoops.refusals(serverLoops, clientLoops, ofClient == UcxTransportKind.SHARED_MEMORY
                    ? "required transport: " : "the data has to go over tcp, which the ");
        }
    }

    @Test
    void plainPeersHaveNone() {
        UcxNettyConfig plain = UcxNettyConfig.DEFAULT.withPlainTcp(UcxPlainTcpConfig.DEFAULT.withAccepted(true));
        UcxNettyConfig required = UcxNettyConfig.DEFAULT.withRequiredTransports(UcxTransportKind.RDMA);

        assertThatIllegalArgumentException().isThrownBy(() -> plain.withRequiredTransports(UcxTransportKind.RDMA))
                .withMessageContaining("plainTcp.accepted true");
        assertThatIllegalArgumentException().isThrownBy(() -> required.acceptsPlain(true))
                .withMessageContaining("PLAIN_TCP true");
        assertThat(required.acceptsPlain(null)).isFalse();
        assertThat(required.withRequiredTransports().requiredTransports()).isEmpty();
    }
}
