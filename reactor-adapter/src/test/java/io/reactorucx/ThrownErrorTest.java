package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Errors that Reactor rethrows in place of a signal fail what the application was called for: a request ends, a
 * connection gives its place back, hooks hear of it, and the engine goes on.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(ThrownErrorTest.Kind.class)
class ThrownErrorTest implements NeedsUcx {

    private static final String TEXT = "planted by a test";
    private static final int LARGE = 100_000;

    /** What the application throws. */
    enum Kind {
        EXCEPTION {
            @Override
            Throwable make() {
                return new IllegalStateException(TEXT);
            }
        },
        CHECKED {
            @Override
            Throwable make() {
                return new IOException(TEXT);
            }
        },
        ASSERTION {
            @Override
            Throwable make() {
                return new AssertionError(TEXT);
            }
        },
        LINKAGE {
            @Override
            Throwable make() {
                return new NoClassDefFoundError(TEXT);
            }
        },
        STACK {
            @Override
            Throwable make() {
                return new StackOverflowError(TEXT);
            }
        },
        INTERNAL {
            @Override
            Throwable make() {
                return new InternalError(TEXT);
            }
        },
        DEATH {
            @Override
            @SuppressWarnings("removal") // Old libraries throw it still.
            Throwable make() {
                return new ThreadDeath() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public String getMessage() {
                        return TEXT;
                    }
                };
            }
        };

        abstract Throwable make();

        @SuppressWarnings("unchecked")
        <X extends Throwable> RuntimeException thrown() throws X {
            throw (X) make();
        }

        /** Throws what need not be declared, also when it is a checked exception. */
        RuntimeException raise() {
            return this.<RuntimeException>thrown();
        }
    }

    /** Where the application throws. */
    enum Place {
        CALL {
            @Override
            <T> Publisher<T> publisher(Kind kind) {
                throw kind.raise();
            }
        },
        SIGNAL {
            @Override
            <T> Publisher<T> publisher(Kind kind) {
                return Mono.error(kind.make());
            }
        },
        SUBSCRIPTION {
            @Override
            <T> Publisher<T> publisher(Kind kind) {
                return Mono.defer(() -> {
                    throw kind.raise();
                });
            }
        },
        SUPPLIER {
            @Override
            <T> Publisher<T> publisher(Kind kind) {
                return Mono.fromSupplier(() -> {
                    throw kind.raise();
                });
            }
        },
        OPERATOR {
            @Override
            <T> Publisher<T> publisher(Kind kind) {
                return Flux.range(0, 3).hide().<T>map(number -> {
                    throw kind.raise();
                });
            }
        };

        abstract <T> Publisher<T> publisher(Kind kind);

        <T> Mono<T> mono(Kind kind) {
            Publisher<T> publisher = publisher(kind);
            return publisher instanceof Mono<T> mono ? mono : Flux.from(publisher).next();
        }
    }

    @Parameter
    private Kind kind;
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private UcxResources resources;
    private UcxResources clientResources;
    private UcxBoundServer server;

    @BeforeEach
    void open() {
        resources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
        clientResources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            Waits.soon().untilAsserted(() -> assertThat(resources.buffers().leases()).isZero());
            clientResources.disposeNow();
            resources.disposeNow();
            assertThat(resources.engines()).allSatisfy(engine -> assertThat(engine.failure()).isNull());
        }
    }

    private UcxClient bind(UnaryOperator<UcxServer> settings) {
        server = settings.apply(UcxServer.create(resources).maxConnections(1).detailedErrors(true)
                .doOnHandlerError((connection, error) -> heard.add(String.valueOf(error.getMessage())))).bindNow();
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port());
    }

    /** Fails by the place that the request's text names. */
    private final class Thrower implements UcxResponder {

        private Place place(UcxBuffer request) {
            String text = request.toString(UTF_8);
            request.release();
            return Place.valueOf(text.strip());
        }

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return place(request).mono(kind);
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            return Flux.from(place(request).publisher(kind));
        }

        @Override
        public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
            return requests.concatMap(request -> place(request).<UcxBuffer>mono(kind));
        }

        @Override
        public Mono<Void> fireAndForget(UcxBuffer request) {
            return place(request).mono(kind);
        }
    }

    private static byte[] text(Place place, int length) {
        return (place.name() + " ".repeat(Math.max(0, length - place.name().length()))).getBytes(UTF_8);
    }

    private void assertFailure(Throwable error) {
        assertThat(error).isInstanceOfSatisfying(UcxRequestException.class, failure ->
                assertThat(failure.reason()).isEqualTo(UcxRequestException.Reason.APPLICATION))
                .hasMessageContaining(TEXT);
    }

    @Test
    void requestsOfAllKindsEndAndTheConnectionStays() {
        UcxConnection client = bind(settings -> settings.respond(new Thrower())).connectNow();
        UcxRequester requester = client.requester();
        int requests = 0;
        for (Place place : Place.values()) {
            assertFailure(Waits.failure(requester.requestResponse(text(place, 0)).toFuture()));
            assertFailure(Waits.failure(requester.requestResponse(text(place, LARGE)).toFuture()));
            assertFailure(Waits.failure(requester.withDeadline(Duration.ofSeconds(20))
                    .requestResponse(text(place, 0)).toFuture()));
            assertFailure(Waits.failure(requester.requestStream(text(place, 0)).collectList().toFuture()));
            assertFailure(Waits.failure(requester.requestChannel(Mono.fromSupplier(() ->
                    clientResources.buffers().copyOf(text(place, 0)))).collectList().toFuture()));
            requester.fireAndForget(text(place, 0)).block(Waits.PATIENCE);
            requests += 6;
        }
        int failures = requests;

        Waits.soon().untilAsserted(() -> assertThat(heard).hasSize(failures));
        assertThat(heard).allMatch(each -> each.contains(TEXT));
        assertThat(client.isDisposed()).isFalse();
        assertThat(server.isDisposed()).isFalse();
    }

    @Test
    void observedRequestsEndAsWell() {
        UcxConnection client = bind(settings -> settings.observe((activity, context, remote) ->
                new UcxObserver.Span() {
                    @Override
                    public void end(UcxObserver.Outcome outcome, @Nullable Throwable error) {
                        heard.add(outcome + " of " + activity.name());
                    }
                }).respond(new Thrower())).connectNow();

        for (Place place : Place.values()) {
            heard.clear();
            assertFailure(Waits.failure(client.requester().requestResponse(text(place, 0)).toFuture()));
            Waits.soon().untilAsserted(() -> assertThat(heard).hasSize(2).contains("ERROR of request_response")
                    .anyMatch(each -> each.contains(TEXT)));
        }
    }

    @Test
    void handlerThatThrowsEndsItsConnectionAndGivesThePlaceBack() {
        AtomicInteger turn = new AtomicInteger();
        UcxClient client = bind(settings -> settings.handle(connection ->
                Place.values()[turn.get()].publisher(kind)));

        for (Place place : Place.values()) {
            turn.set(place.ordinal());
            heard.clear();
            connectWhenFree(client).onDispose().block(Waits.PATIENCE);
            Waits.soon().untilAsserted(() -> assertThat(heard).hasSize(1).allMatch(each -> each.contains(TEXT)));
        }
    }

    /** The one place of the server is free when its side of the last connection has ended. */
    private static UcxConnection connectWhenFree(UcxClient client) {
        return client.connect().retryWhen(Retry.fixedDelay(500, Duration.ofMillis(20))).block(Waits.PATIENCE);
    }

    @Test
    void actionsForConnectionsThatThrowGiveThePlaceBack() {
        UcxClient client = bind(settings -> settings.doOnConnection(connection -> {
            throw kind.raise();
        }).handle(connection -> {
            heard.add("handled");
            return Mono.never();
        }));

        for (int i = 0; i < 3; i++) {
            connectWhenFree(client).onDispose().block(Waits.PATIENCE);
        }
        assertThat(heard).as("the handler runs after the action").isEmpty();
    }

    @Test
    void actionForErrorsThatThrowsHindersNeitherRequestsNorConnections() {
        UcxClient client = bind(settings -> settings.doOnHandlerError((connection, error) -> {
            throw kind.raise();
        }).respond(new Thrower()));
        UcxConnection connected = client.connectNow();
        assertFailure(Waits.failure(connected.requester().requestResponse(text(Place.CALL, 0)).toFuture()));
        assertFailure(Waits.failure(connected.requester().requestStream(text(Place.CALL, 0)).then().toFuture()));
        connected.close(CloseMode.FLUSH).block(Waits.PATIENCE);
        assertThat(heard).hasSize(2);

        UcxClient handled = bind(settings -> settings.doOnHandlerError((connection, error) -> {
            throw kind.raise();
        }).handle(connection -> Mono.error(new IllegalStateException(TEXT))));
        for (int i = 0; i < 2; i++) {
            connectWhenFree(handled).onDispose().block(Waits.PATIENCE);
        }
    }

    @Test
    void clientsActionThatThrowsFailsTheConnectAndClosesTheConnection() {
        UcxClient client = bind(settings -> settings.handle(connection -> connection.onClosing()));

        for (int i = 0; i < 2; i++) {
            UcxClient failing = client.doOnConnected(connection -> {
                connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> heard.add("ended"));
                throw kind.raise();
            });
            assertThat(Waits.failure(failing.connect().retryWhen(Retry.fixedDelay(500, Duration.ofMillis(20))
                    .filter(error -> !String.valueOf(error.getMessage()).contains(TEXT))).toFuture()))
                    .hasMessageContaining(TEXT);
        }
        Waits.soon().untilAsserted(() -> assertThat(heard).containsExactly("ended", "ended"));
        assertThat(connectWhenFree(client).isDisposed()).isFalse();
    }

    @Test
    void setupOfAReconnectingConnectionThatThrowsIsRetried() {
        AtomicInteger attempts = new AtomicInteger();
        UcxClient client = bind(settings -> settings.maxConnections(8).handle(connection -> connection.onClosing()));

        UcxReconnectingConnection connected = client.reconnect(Retry.fixedDelay(100, Duration.ofMillis(20)))
                .onConnected(connection -> {
                    if (attempts.incrementAndGet() < 3) {
                        throw kind.raise();
                    }
                    return Mono.empty();
                }).connectNow(Waits.PATIENCE);

        assertThat(attempts).hasValue(3);
        for (Place place : Place.values()) {
            assertThat(Waits.failure(connected.withConnection(connection -> place.<String>mono(kind)).toFuture()))
                    .hasMessageContaining(TEXT);
        }
        connected.close().block(Waits.PATIENCE);
    }

    @Test
    void retryThatThrowsEndsTheReconnectingConnection() {
        UcxClient client = bind(settings -> settings.maxConnections(8).handle(connection -> connection.onClosing()));
        assertThat(Waits.failure(client.reconnect(Retry.from(failures -> {
            throw kind.raise();
        })).connect().toFuture())).hasMessageContaining(TEXT);
        List<Retry> throwing = List.of(Retry.from(failures -> failures.map(failure -> {
            throw kind.raise();
        })), Retry.from(failures -> failures.concatMap(failure -> Mono.fromRunnable(() -> {
            throw kind.raise();
        }))));
        for (Retry retry : throwing) {
            UcxReconnectingConnection connected = client.reconnect(retry).connectNow(Waits.PATIENCE);
            connected.connection().flatMap(connection -> connection.close(CloseMode.FORCE)).block(Waits.PATIENCE);

            connected.onDispose().block(Waits.PATIENCE);
            assertThat(Waits.failure(connected.connection().toFuture())).hasMessageContaining(TEXT);
        }
    }

    @Test
    void useOfAPoolThatThrowsGivesItsConnectionBack() {
        UcxClient client = bind(settings -> settings.handle(connection -> connection.onClosing()));
        UcxConnectionPool pool = UcxConnectionPool.builder(client).maxConnections(1).build();

        for (Place place : Place.values()) {
            assertThat(Waits.failure(pool.withConnection(connection -> place.<String>mono(kind)).toFuture()))
                    .hasMessageContaining(TEXT);
            assertThat(Waits.failure(pool.withConnectionMany(connection -> place.<String>publisher(kind))
                    .collectList().toFuture())).hasMessageContaining(TEXT);
        }
        pool.disposeLater().block(Waits.PATIENCE);
    }

    @Test
    void subscriberOfAResponseThatThrowsGetsTheError() {
        UcxClient client = bind(settings -> settings.respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }
        }));
        UcxRequester requester = client.connectNow().requester();

        assertThat(Waits.failure(requester.requestResponse(new byte[8]).map(response -> {
            throw kind.raise();
        }).toFuture())).hasMessageContaining(TEXT);
        assertThat(requester.requestResponse(new byte[LARGE]).block(Waits.PATIENCE)).hasSize(LARGE);
    }

    @Test
    void sourcesOfASendThatThrowFailTheSendAlone() {
        List<byte[]> received = new CopyOnWriteArrayList<>();
        UcxClient client = bind(settings -> settings.handle(connection -> connection.inbound().receiveByteArrays()
                .doOnNext(received::add).then()));
        UcxConnection connection = client.connectNow();

        for (Place place : Place.values()) {
            assertThat(Waits.failure(connection.outbound().sendByteArrays(Flux.defer(() -> place.publisher(kind)))
                    .toFuture())).hasMessageContaining(TEXT);
        }
        connection.outbound().sendByteArrays(Flux.just(new byte[3])).block(Waits.PATIENCE);

        Waits.soon().untilAsserted(() -> assertThat(received).hasSize(1));
    }
}
