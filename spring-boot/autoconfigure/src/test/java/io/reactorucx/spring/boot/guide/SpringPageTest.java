package io.reactorucx.spring.boot.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.spring.boot.UcxResourcesBuilderCustomizer;
import io.reactorucx.spring.boot.rsocket.UcxClientTransports;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.stereotype.Controller;
import reactor.core.publisher.Mono;

/** The code of {@code docs/guide/spring.md}. */
class SpringPageTest {

    private static final Duration LIMIT = TestTime.seconds(20);

    private static ConfigurableApplicationContext context;

    /** An application. */
    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({GreetingController.class, Servers.class})
    static class Application {
    }

    // snippet: responder
    @Controller
    static class GreetingController {

        @MessageMapping("greet")
        Mono<String> greet(String name) {
            return Mono.just("Hello " + name);
        }
    }
    // end

    /** Beans of an application. */
    static class Servers {

        // snippet: server
        @Bean
        UcxBoundServer greeter(UcxServer template) {
            return template.handle((in, out) -> out.sendStrings(in.receiveStrings().map(name -> "Hello " + name)))
                    .bindNow();
        }
        // end

        // snippet: customizer
        @Bean
        UcxResourcesBuilderCustomizer idleEndpoints() {
            return builder -> builder.maxIdleEndpoints(64);
        }
        // end
    }

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).run(
                "--spring.rsocket.server.port=0", "--spring.rsocket.server.address=127.0.0.1",
                "--reactor.ucx.rsocket.server.enabled=true", "--spring.reactor.netty.shutdown-quiet-period=0s");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void rsocket() {
        RSocketRequester.Builder builder = context.getBean(RSocketRequester.Builder.class);
        UcxClientTransports transports = context.getBean(UcxClientTransports.class);
        int port = context.getEnvironment().getRequiredProperty("local.rsocket.server.port", Integer.class);

        // snippet: requester
        RSocketRequester requester = builder.transport(transports.to("127.0.0.1", port));
        Mono<String> greeting = requester.route("greet").data("Anna").retrieveMono(String.class);
        // end
        assertThat(greeting.block(LIMIT)).isEqualTo("Hello Anna");
        requester.dispose();
    }

    @Test
    void servers() {
        UcxConnection connection = context.getBean(UcxClient.class)
                .remoteAddress(context.getBean(UcxBoundServer.class).address()).connectNow(LIMIT);
        connection.outbound().sendStrings(Mono.just("Berta")).subscribe();

        assertThat(connection.inbound().receiveStrings().blockFirst(LIMIT)).isEqualTo("Hello Berta");
        assertThat(context.getBean(UcxResources.class).maxIdleEndpoints()).isEqualTo(64);
    }
}
