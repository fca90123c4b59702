package io.reactorucx.spring.boot.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxResources;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.Greeting;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.GreetingController;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.Kind;
import io.reactorucx.spring.boot.rsocket.RSocketApplication.Person;
import io.rsocket.exceptions.RejectedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.messaging.rsocket.RSocketRequester;

/** A context that closes under load ends the requests in flight, refuses new ones, and then ends UCX. */
class RSocketShutdownTest {

    private static final Duration LIMIT = RSocketApplication.LIMIT;
    private static final String SHORT_GRACE = "reactor.ucx.shutdown.grace-period=200ms";

    @Test
    void requestsInFlightEndAndNewOnesAreRejected() {
        try (ConfigurableApplicationContext clients = RSocketApplication.start(List.of());
                ConfigurableApplicationContext server = RSocketApplication.start(Kind.UCX)) {
            RSocketRequester requester = connect(clients, server);
            UcxResources resources = server.getBean(UcxResources.class);
            List<CompletableFuture<Greeting>> held = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                held.add(requester.route("held").retrieveMono(Greeting.class).toFuture());
            }
            Load load = Load.start(requester);
            await().atMost(LIMIT).until(() -> load.answers.size() > 100);

            GreetingController controller = server.getBean(GreetingController.class);
            CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close, thread());
            CompletableFuture<Throwable> end = load.end;
            assertThat(end.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join())
                    .isInstanceOf(RejectedException.class).hasMessage("the server is shutting down");
            assertThat(closed).isNotDone();
            assertThat(resources.isDisposed()).isFalse();
            controller.heldSink().tryEmitValue(new Greeting("late")).orThrow();

            assertThat(held).allSatisfy(each -> assertThat(each.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join())
                    .isEqualTo(new Greeting("late")));
            assertThat(load.answers).containsOnly(new Greeting("Hello Anna"));
            closed.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
            assertThat(resources.isDisposed()).isTrue();
        }
    }

    @Test
    void theGracePeriodLimitsRequestsInFlight() {
        try (ConfigurableApplicationContext clients = RSocketApplication.start(List.of());
                ConfigurableApplicationContext server = RSocketApplication.start(Kind.UCX, SHORT_GRACE)) {
            RSocketRequester requester = connect(clients, server);
            CompletableFuture<Greeting> held = requester.route("held").retrieveMono(Greeting.class).toFuture();
            assertThat(requester.route("greet").data(new Person("Anna", 1)).retrieveMono(Greeting.class).block(LIMIT))
                    .isNotNull();

            CompletableFuture.runAsync(server::close, thread()).orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();

            assertThatThrownBy(() -> held.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join())
                    .hasRootCauseInstanceOf(java.nio.channels.ClosedChannelException.class);
        }
    }

    private static RSocketRequester connect(ConfigurableApplicationContext clients,
            ConfigurableApplicationContext server) {
        return Credentials.ANNA.of(clients.getBean(RSocketRequester.Builder.class))
                .transport(clients.getBean(UcxClientTransports.class).to("127.0.0.1",
                        RSocketApplication.port(server)));
    }

    private static Executor thread() {
        return task -> Thread.ofPlatform().daemon().start(task);
    }

    /** One request after the other, until one fails. */
    private record Load(ConcurrentLinkedQueue<Greeting> answers, CompletableFuture<Throwable> end) {

        static Load start(RSocketRequester requester) {
            Load load = new Load(new ConcurrentLinkedQueue<>(), new CompletableFuture<>());
            requester.route("greet").data(new Person("Anna", 1)).retrieveMono(Greeting.class).repeat(1_000_000)
                    .subscribe(load.answers::add, load.end::complete);
            return load;
        }
    }
}
