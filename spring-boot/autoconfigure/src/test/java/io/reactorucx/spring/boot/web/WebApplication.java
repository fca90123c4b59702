package io.reactorucx.spring.boot.web;

import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.HttpServiceGroup;
import org.springframework.web.service.registry.ImportHttpServices;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** An application of Spring Boot that knows nothing of UCX, and what its loops have counted. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(WebApplication.GreetingController.class)
@ImportHttpServices(group = "greetings", types = WebApplication.Greetings.class,
    clientType = HttpServiceGroup.ClientType.WEB_CLIENT)
public class WebApplication {

    /** Serves. */
    @RestController
    public static class GreetingController {

        /** {@return a greeting} */
        @GetMapping("/greetings/{name}")
        public Mono<String> greeting(@PathVariable String name) {
            return Mono.just("Hello " + name);
        }

        private final Sinks.One<String> held = Sinks.one();

        /** {@return what the test says later} */
        @GetMapping("/held")
        public Mono<String> held() {
            return held.asMono();
        }

        Sinks.One<String> heldSink() {
            return held;
        }

        /** {@return whether the thread of the request is virtual} */
        @GetMapping("/virtual")
        public boolean virtual() {
            return Thread.currentThread().isVirtual();
        }
    }

    /** Calls. */
    public interface Greetings {

        /** {@return a greeting} */
        @GetExchange("/greetings/{name}")
        Mono<String> greeting(@PathVariable String name);
    }

    static ConfigurableApplicationContext start(String... properties) {
        List<String> arguments = new ArrayList<>(List.of("--server.address=127.0.0.1",
                "--spring.reactor.netty.shutdown-quiet-period=0s", "--reactor.ucx.netty.loops=1",
                "--spring.main.banner-mode=off"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return new SpringApplicationBuilder(WebApplication.class).properties("server.port=0")
                .run(arguments.toArray(String[]::new));
    }

    static String url(ConfigurableApplicationContext context) {
        return "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port");
    }

    static WebClient client(ConfigurableApplicationContext context, String url) {
        return context.getBean(WebClient.Builder.class).baseUrl(url).build();
    }

    static long receivedOverUcx(ConfigurableApplicationContext context) {
        return context.getBean(UcxLoopResources.class).factory().statistics().stream()
                .mapToLong(UcxLoopStatistics::receivedBytes).sum();
    }
}
