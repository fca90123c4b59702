package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.message.TraceContext;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Observers that are not Micrometer's: what they get, and that their faults stay theirs. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ObserverTest implements NeedsUcx {

    private static final UcxResponder ECHO = new UcxResponder() {
        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return Mono.just(request);
        }
    };

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private UcxResources resources;
    private UcxResources clientResources;

    @BeforeEach
    void open() {
        resources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
        clientResources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            assertThat(resources.buffers().leases()).isZero();
            clientResources.disposeNow();
            resources.disposeNow();
        }
    }

    private UcxConnection connect(UcxObserver onServer, UcxObserver onClient) {
        UcxBoundServer server = UcxServer.create(resources).observe(onServer).respond(ECHO).bindNow();
        return UcxClient.create(clientResources).observe(onClient).remoteAddress("127.0.0.1", server.port())
                .connectNow();
    }

    private UcxObserver recording(String side, @Nullable TraceContext sent) {
        return (activity, context, remote) -> new UcxObserver.Span() {
            @Override
            public @Nullable TraceContext traceContext() {
                return sent;
            }

            @Override
            public void end(UcxObserver.Outcome outcome, @Nullable Throwable error) {
                seen.add(side + " " + activity.kind() + " " + activity.name() + " " + outcome + " "
                        + (remote == null ? "" : remote.parent() + " " + remote.state()));
            }
        };
    }

    @Test
    void traceContextTravelsWithItsState() {
        TraceContext sent = new TraceContext(1, 2, 3, (byte) 0, "k=" + "v".repeat(510));
        UcxConnection client = connect(recording("server", null), recording("client", sent));

        assertThat(client.requester().requestResponse(new byte[100]).block(Waits.PATIENCE)).hasSize(100);

        Waits.soon().untilAsserted(() -> assertThat(seen).containsExactlyInAnyOrder(
                "client REQUEST request_response SUCCESS ",
                "server RESPONSE request_response SUCCESS " + sent.parent() + " " + sent.state()));
    }

    @Test
    void observerThatThrowsDoesNoHarm() {
        UcxObserver atStart = (activity, context, remote) -> {
            throw new IllegalStateException("it is ill");
        };
        UcxObserver later = (activity, context, remote) -> new UcxObserver.Span() {
            @Override
            public TraceContext traceContext() {
                throw new IllegalStateException("it is ill");
            }

            @Override
            public Context addTo(Context context) {
                throw new IllegalStateException("it is ill");
            }

            @Override
            public UcxObserver.Scope open() {
                throw new IllegalStateException("it is ill");
            }

            @Override
            public void end(UcxObserver.Outcome outcome, @Nullable Throwable error) {
                seen.add("ended");
                throw new IllegalStateException("it is ill");
            }
        };

        assertThat(connect(atStart, later).requester().requestResponse(new byte[8]).block(Waits.PATIENCE)).hasSize(8);
        assertThat(connect(later, atStart).requester().requestResponse(new byte[8]).block(Waits.PATIENCE)).hasSize(8);
        Waits.soon().untilAsserted(() -> assertThat(seen).hasSize(2));
    }

    @Test
    void keyIsThatOfMicrometer() {
        // Read by name: the class needs a library that the adapter does not.
        assertThat(ObservationThreadLocalAccessor.KEY).isEqualTo("micrometer.observation");
    }

    /** Takes requests and never responds. */
    private static final UcxResponder SILENT = new UcxResponder() {
        @Override
        public Mono<Void> fireAndForget(UcxBuffer request) {
            request.release();
            return Mono.never();
        }

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            request.release();
            return Mono.never();
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            request.release();
            return Flux.never();
        }

        @Override
        public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
            return Flux.never();
        }
    };

    @Test
    void deadlineIsOneOutcomeForObserversMetersAndHooksOfBothSides() {
        Queue<Throwable> handlerErrors = new ConcurrentLinkedQueue<>();
        UcxBoundServer server = UcxServer.create(resources).observe(recording("server", null)).respond(SILENT)
                .doOnHandlerError((connection, error) -> handlerErrors.add(error)).bindNow();
        UcxRequester requester = UcxClient.create(clientResources).observe(recording("client", null))
                .remoteAddress("127.0.0.1", server.port()).connectNow().requester();
        // The classes are loaded, and both engines run.
        askAll(requester, Duration.ofMillis(200));
        Waits.soon().until(() -> resources.statistics().requests(Side.SERVER).stream()
                .allMatch(each -> each.inFlight() == 0));
        seen.clear();
        long earlier = count(resources, Side.SERVER, Outcome.DEADLINE);

        askAll(requester, TestTime.seconds(3));

        Waits.soon().untilAsserted(() -> assertThat(seen).map(String::trim).containsExactlyInAnyOrder(
                "client REQUEST request_response DEADLINE", "server RESPONSE request_response DEADLINE",
                "client REQUEST request_stream DEADLINE", "server RESPONSE request_stream DEADLINE",
                "client REQUEST request_channel DEADLINE", "server RESPONSE request_channel DEADLINE",
                "client REQUEST fire_and_forget SUCCESS", "server RESPONSE fire_and_forget DEADLINE"));
        Waits.soon().untilAsserted(() -> {
            assertThat(count(clientResources, Side.CLIENT, Outcome.DEADLINE)).isEqualTo(6); // of two rounds
            assertThat(count(resources, Side.SERVER, Outcome.DEADLINE)).isEqualTo(earlier + 4);
        });
        assertThat(handlerErrors).isEmpty();
    }

    private static void askAll(UcxRequester asking, Duration deadline) {
        UcxRequester requester = asking.withDeadline(deadline);
        Mono.when(requester.requestResponse(new byte[1]).onErrorComplete(),
                requester.requestStream(new byte[1]).onErrorComplete(),
                requester.requestChannel(Flux.never()).onErrorComplete(),
                requester.fireAndForget(new byte[1])).block(Waits.PATIENCE);
    }

    @Test
    void cancelOfARequesterIsNoDeadline() {
        UcxBoundServer server = UcxServer.create(resources).observe(recording("server", null)).respond(SILENT)
                .bindNow();
        UcxRequester requester = UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port())
                .connectNow().requester().withDeadline(Duration.ofHours(1));
        Disposable asked = requester.requestResponse(new byte[1]).subscribe();
        Waits.soon().until(() -> resources.statistics().requests(Side.SERVER).getFirst().begun() == 1);

        asked.dispose();

        Waits.soon().untilAsserted(() -> {
            assertThat(seen).map(String::trim).containsExactly("server RESPONSE request_response CANCELLED");
            assertThat(count(resources, Side.SERVER, Outcome.CANCELLED)).isEqualTo(1);
        });
    }

    private static long count(UcxResources of, Side side, Outcome outcome) {
        return of.statistics().requests(side).stream().mapToLong(each -> each.count(outcome)).sum();
    }
}
