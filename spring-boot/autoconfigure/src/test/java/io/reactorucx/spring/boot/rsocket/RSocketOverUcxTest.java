package io.reactorucx.spring.boot.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.UcxResources;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.Greeting;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.GreetingController;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.Kind;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.Person;
import io.rsocket.exceptions.ApplicationErrorException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.messaging.rsocket.RSocketRequester;
import reactor.core.publisher.Flux;

/** The same annotated methods, requester and users over the kernel's TCP, over UCX, and there with certificates. */
@ParameterizedClass
@EnumSource(Kind.class)
class RSocketOverUcxTest {

    private static final Duration LIMIT = RSocketApplication.LIMIT;

    private static ConfigurableApplicationContext context;
    private static RSocketRequester requester;

    @Parameter
    private Kind kind;

    @BeforeParameterizedClassInvocation
    static void start(Kind kind) {
        context = RSocketApplication.start(kind);
        requester = RSocketApplication.requester(context, kind);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        requester.dispose();
        context.close();
    }

    @Test
    void requestAndResponse() {
        Greeting greeting = requester.route("greet").data(new Person("Anna", 30)).retrieveMono(Greeting.class)
                .block(LIMIT);

        assertThat(greeting).isEqualTo(new Greeting("Hello Anna"));
        assertThat(context.getBeanFactory().containsSingleton("ucxResources")).isEqualTo(kind != Kind.TCP);
        if (kind != Kind.TCP) {
            assertThat(context.getBean(UcxResources.class).openConnections()).isEqualTo(2);
        }
    }

    @Test
    void stream() {
        assertThat(requester.route("count.{from}", 7).retrieveFlux(Integer.class).collectList().block(LIMIT))
                .isEqualTo(IntStream.range(7, 1007).boxed().toList());
    }

    @Test
    void channel() {
        Flux<Person> persons = Flux.range(0, 300).map(age -> new Person("P", age));

        assertThat(requester.route("ages").data(persons, Person.class).retrieveFlux(Integer.class).collectList()
                .block(LIMIT)).isEqualTo(IntStream.range(0, 300).boxed().toList());
    }

    @Test
    void fireAndForget() {
        requester.route("note").data("remember").send().block(LIMIT);

        assertThat(context.getBean(GreetingController.class).noted().block(LIMIT)).isEqualTo("remember");
    }

    @Test
    void aLargePayload() {
        String name = "x".repeat(3 << 20);

        assertThat(requester.route("greet").data(new Person(name, 1)).retrieveMono(Greeting.class).block(LIMIT))
                .isEqualTo(new Greeting("Hello " + name));
    }

    @Test
    void errorsOfMethods() {
        assertThatThrownBy(() -> requester.route("fail").retrieveMono(Greeting.class).block(LIMIT))
                .isInstanceOf(ApplicationErrorException.class).hasMessageContaining("no greeting");
        assertThatThrownBy(() -> requester.route("none").retrieveMono(Greeting.class).block(LIMIT))
                .isInstanceOf(ApplicationErrorException.class).hasMessageContaining("none");
    }

    @Test
    void usersAndRoles() {
        assertThatThrownBy(() -> requester.route("admin").retrieveMono(Greeting.class).block(LIMIT))
                .hasMessageContaining("Access Denied");
        RSocketRequester root = connect(Credentials.ROOT);
        try {
            assertThat(root.route("admin").retrieveMono(Greeting.class).block(LIMIT))
                    .isEqualTo(new Greeting("secret"));
        } finally {
            root.dispose();
        }
        for (Credentials stranger : List.of(Credentials.WRONG, new Credentials("nobody", "x"))) {
            RSocketRequester refused = connect(stranger);
            assertThatThrownBy(() -> refused.route("greet").data(new Person("Anna", 30))
                    .retrieveMono(Greeting.class).block(LIMIT)).hasMessageContaining("Invalid Credentials");
        }
    }

    private RSocketRequester connect(Credentials credentials) {
        return credentials.of(context.getBean(RSocketRequester.Builder.class))
                .transport(RSocketApplication.transport(context, kind));
    }
}
