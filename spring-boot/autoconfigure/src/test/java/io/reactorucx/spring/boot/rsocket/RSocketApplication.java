package io.reactorucx.spring.boot.rsocket;

import io.reactorucx.spring.boot.PeerBundle;
import io.reactorucx.testsupport.TestTime;
import io.rsocket.transport.ClientTransport;
import io.rsocket.transport.netty.client.TcpClientTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.rsocket.server.RSocketServerCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.messaging.handler.annotation.DestinationVariable;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.security.config.annotation.rsocket.EnableRSocketSecurity;
import org.springframework.security.config.annotation.rsocket.RSocketSecurity;
import org.springframework.security.config.Customizer;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.rsocket.core.PayloadSocketAcceptorInterceptor;
import org.springframework.stereotype.Controller;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** An application of annotated methods, with users and roles. Nothing in it names a transport. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableRSocketSecurity
@Import(RSocketApplication.GreetingController.class)
public class RSocketApplication {

    /** Limit of anything that a test awaits. */
    static final Duration LIMIT = TestTime.seconds(30);

    /** A person. */
    record Person(String name, int age) {
    }

    /** What is said to a person. */
    record Greeting(String text) {
    }

    /** The responder. */
    @Controller
    public static class GreetingController {

        @MessageMapping("greet")
        Mono<Greeting> greet(@Payload Person person) {
            return Mono.just(new Greeting("Hello " + person.name()));
        }

        @MessageMapping("count.{from}")
        Flux<Integer> count(@DestinationVariable int from) {
            return Flux.range(from, 1000);
        }

        private final Sinks.One<Greeting> held = Sinks.one();
        private final Sinks.One<String> noted = Sinks.one();

        /** Answers when the test wants it to. */
        @MessageMapping("held")
        Mono<Greeting> held() {
            return held.asMono();
        }

        @MessageMapping("ages")
        Flux<Integer> ages(@Payload Flux<Person> persons) {
            return persons.map(Person::age);
        }

        @MessageMapping("note")
        Mono<Void> note(@Payload String text) {
            noted.tryEmitValue(text);
            return Mono.empty();
        }

        @MessageMapping("fail")
        Mono<Greeting> fail() {
            return Mono.error(new IllegalStateException("no greeting"));
        }

        @MessageMapping("admin")
        Mono<Greeting> admin() {
            return Mono.just(new Greeting("secret"));
        }

        Sinks.One<Greeting> heldSink() {
            return held;
        }

        Mono<String> noted() {
            return noted.asMono();
        }
    }

    /** {@return users, with passwords that are no secrets} */
    @Bean
    @SuppressWarnings("deprecation")
    MapReactiveUserDetailsService users() {
        User.UserBuilder user = User.withDefaultPasswordEncoder();
        return new MapReactiveUserDetailsService(user.username("anna").password("pa").roles("USER").build(),
                user.username("root").password("pr").roles("ADMIN", "USER").build());
    }

    /** {@return who may send what} */
    @Bean
    PayloadSocketAcceptorInterceptor security(RSocketSecurity security) {
        return security.authorizePayload(each -> each.setup().authenticated().route("admin").hasRole("ADMIN")
                .anyRequest().authenticated().anyExchange().permitAll())
                .simpleAuthentication(Customizer.withDefaults()).build();
    }

    /** {@return the security of the server} */
    @Bean
    RSocketServerCustomizer securityCustomizer(PayloadSocketAcceptorInterceptor interceptor) {
        return server -> server.interceptors(registry -> registry.forSocketAcceptor(interceptor));
    }

    /** What a test runs over. */
    enum Kind {

        TCP("spring.rsocket.server.port=0", "spring.rsocket.server.address=127.0.0.1"),
        /** The same application with one property more. */
        UCX("spring.rsocket.server.port=0", "spring.rsocket.server.address=127.0.0.1",
                "reactor.ucx.rsocket.server.enabled=true"),
        /** And with certificates. */
        UCX_SECURED(PeerBundle.with("spring.rsocket.server.port=0", "spring.rsocket.server.address=127.0.0.1",
                "reactor.ucx.rsocket.server.enabled=true"));

        private final List<String> properties;

        Kind(String... properties) {
            this.properties = List.of(properties);
        }
    }

    static ConfigurableApplicationContext start(Kind kind, String... properties) {
        List<String> all = new ArrayList<>(kind.properties);
        all.addAll(List.of(properties));
        return start(all);
    }

    static ConfigurableApplicationContext start(List<String> properties) {
        List<String> arguments = new ArrayList<>(List.of("--spring.main.banner-mode=off",
                "--spring.reactor.netty.shutdown-quiet-period=0s"));
        properties.forEach(each -> arguments.add("--" + each));
        return new SpringApplicationBuilder(RSocketApplication.class).web(WebApplicationType.NONE)
                .run(arguments.toArray(String[]::new));
    }

    static int port(ConfigurableApplicationContext context) {
        return context.getEnvironment().getRequiredProperty("local.rsocket.server.port", Integer.class);
    }

    static ClientTransport transport(ConfigurableApplicationContext context, Kind kind) {
        return kind == Kind.TCP ? TcpClientTransport.create("127.0.0.1", port(context))
                : context.getBean(UcxClientTransports.class).to("127.0.0.1", port(context));
    }

    static RSocketRequester requester(ConfigurableApplicationContext context, Kind kind) {
        return Credentials.ANNA.of(context.getBean(RSocketRequester.Builder.class)).transport(transport(context, kind));
    }
}
