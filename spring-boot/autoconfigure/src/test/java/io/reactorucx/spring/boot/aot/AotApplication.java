package io.reactorucx.spring.boot.aot;

import io.reactorucx.UcxClient;
import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.spring.boot.rsocket.UcxClientTransports;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.PropertySource;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.reactive.function.client.WebClient;

/** An application with everything over UCX, whose beans can be made ahead of time. */
@SpringBootConfiguration
@EnableAutoConfiguration
@PropertySource("classpath:aot-application.properties")
@Import(AotApplication.GreetingController.class)
public class AotApplication {

    static final String RESULT = "over UCX: ";

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Serves. */
    @Controller
    public static class GreetingController {

        @MessageMapping("greet")
        String greet(String name) {
            return "Hello " + name;
        }

        @GetMapping("/name")
        @ResponseBody
        String name() {
            return "Anna";
        }
    }

    /**
     * Runs.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        try (ConfigurableApplicationContext context = SpringApplication.run(AotApplication.class, arguments)) {
            String port = context.getEnvironment().getRequiredProperty("local.server.port");
            String name = context.getBean(WebClient.Builder.class).build().get()
                    .uri("http://127.0.0.1:" + port + "/name").retrieve().bodyToMono(String.class).block(LIMIT);
            long bytes = context.getBean(UcxLoopResources.class).factory().statistics().stream()
                    .mapToLong(UcxLoopStatistics::receivedBytes).sum();
            RSocketRequester requester = context.getBean(RSocketRequester.Builder.class)
                    .transport(context.getBean(UcxClientTransports.class).to("127.0.0.1", context.getEnvironment()
                            .getRequiredProperty("local.rsocket.server.port", Integer.class)));
            String answer = requester.route("greet").data(name).retrieveMono(String.class).block(LIMIT);
            requester.dispose();
            System.out.println((bytes > 0 && context.getBean(UcxClient.class) != null ? RESULT : "not " + RESULT)
                    + answer);
        }
    }
}
