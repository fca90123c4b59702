package io.reactorucx.spring.boot;

import io.reactorucx.spring.boot.rsocket.UcxClientTransports;
import java.time.Duration;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.CompositeReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.reactive.function.client.WebClient;

/** An application with everything over UCX, which calls itself and ends. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(FallbackApplication.GreetingController.class)
public class FallbackApplication {

    static final String HTTP = "http: ";
    static final String RSOCKET = "rsocket: ";
    static final String HEALTH = "health of the loops: ";

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Serves. */
    @Controller
    public static class GreetingController {

        @MessageMapping("greet")
        String greet(String name) {
            return "Hello " + name;
        }

        @GetMapping("/greetings/{name}")
        @ResponseBody
        String greeting(@PathVariable String name) {
            return "Hello " + name;
        }
    }

    /**
     * Runs.
     *
     * @param arguments further properties
     */
    public static void main(String[] arguments) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(FallbackApplication.class)
                .properties("server.port=0", "spring.rsocket.server.port=0", "reactor.ucx.web.server.enabled=true",
                        "reactor.ucx.web.client.enabled=true", "reactor.ucx.rsocket.server.enabled=true",
                        "spring.reactor.netty.shutdown-quiet-period=0s").run(arguments)) {
            String port = context.getEnvironment().getRequiredProperty("local.server.port");
            System.out.println(HTTP + context.getBean(WebClient.Builder.class).build().get()
                    .uri("http://127.0.0.1:" + port + "/greetings/Anna").retrieve().bodyToMono(String.class)
                    .block(LIMIT));
            RSocketRequester requester = context.getBean(RSocketRequester.Builder.class)
                    .transport(context.getBean(UcxClientTransports.class).to("127.0.0.1", context.getEnvironment()
                            .getRequiredProperty("local.rsocket.server.port", Integer.class)));
            System.out.println(RSOCKET + requester.route("greet").data("Anna").retrieveMono(String.class).block(LIMIT));
            requester.dispose();
            var loops = (ReactiveHealthIndicator) ((CompositeReactiveHealthContributor) context.getBean(
                    "ucxHealthContributor")).getContributor("loops");
            System.out.println(HEALTH + loops.health().block(LIMIT).getStatus());
        }
    }
}
