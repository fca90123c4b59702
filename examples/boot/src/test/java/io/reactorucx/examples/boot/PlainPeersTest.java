package io.reactorucx.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxPlainTcpConfig;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.reactive.function.client.WebClient;

/** An application over UCX that a browser, {@code curl} or a probe calls, too. */
@Tag("slow")
class PlainPeersTest {

    /** The bean of the application in its place; without an annotation, as no other application may find it. */
    static class PlainPeers {

        // snippet: plain-peers
        @Bean
        ReactorResourceFactory reactorResourceFactory() {
            UcxPlainTcpConfig plain = UcxPlainTcpConfig.DEFAULT.withAccepted(true)
                    .withRemotes(remote -> remote.getPort() == 443);
            ReactorResourceFactory factory = new ReactorResourceFactory();
            factory.setUseGlobalResources(false);
            factory.setLoopResourcesSupplier(() -> UcxLoopResources.create("ucx",
                    Runtime.getRuntime().availableProcessors(), UcxNettyConfig.DEFAULT.withPlainTcp(plain)));
            return factory;
        }
        // end
    }

    @Test
    void onePortServesBoth() throws IOException, InterruptedException {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(BootExample.class, PlainPeers.class)
                .run("--server.port=0"); HttpClient plain = HttpClient.newHttpClient()) {
            UcxLoopResources loops = (UcxLoopResources) context.getBean(ReactorResourceFactory.class)
                    .getLoopResources();
            String address = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port")
                    + "/greetings/Anna";

            assertThat(plain.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString()).body())
                    .isEqualTo("{\"name\":\"Anna\",\"text\":\"Hello Anna\"}");
            assertThat(receivedOverUcx(loops)).isZero();

            assertThat(context.getBean(WebClient.Builder.class).build().get().uri(address).retrieve()
                    .bodyToMono(Greeting.class).block(Application.LIMIT)).isEqualTo(Greeting.of("Anna"));
            assertThat(receivedOverUcx(loops)).isPositive();
            context.getBean(ReactorResourceFactory.class).setShutdownQuietPeriod(Duration.ZERO);
        }
    }

    private static long receivedOverUcx(UcxLoopResources loops) {
        return loops.factory().statistics().stream().mapToLong(UcxLoopStatistics::receivedBytes).sum();
    }
}
