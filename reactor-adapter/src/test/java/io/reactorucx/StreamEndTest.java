package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** Only what its sender has completed looks complete to the receiver. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS", "TCP_BY_WORKER_ADDRESS"})
class StreamEndTest implements NeedsUcx {

    private static final int ALL = 1000;
    private static final int SENT = 33;

    @Parameter
    private Route route;
    private UcxResources serverResources;
    private UcxResources clientResources;
    private UcxBoundServer server;
    private UcxConnection client;
    private final Queue<byte[]> got = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<UcxConnection> accepted = new CompletableFuture<>();

    /** How a server ends a connection that is in use. */
    enum Stop {
        SERVER_DISPOSED {
            @Override
            Mono<Void> of(StreamEndTest test) {
                return test.server.close();
            }
        },
        GRACE_PERIOD_OVER {
            @Override
            Mono<Void> of(StreamEndTest test) {
                return test.server.disposeLater(Duration.ofMillis(50), Duration.ofSeconds(20));
            }
        },
        CONNECTION_CLOSED {
            @Override
            Mono<Void> of(StreamEndTest test) {
                return Waits.get(test.accepted).close();
            }
        },
        CONNECTION_FORCED {
            @Override
            Mono<Void> of(StreamEndTest test) {
                return Waits.get(test.accepted).close(CloseMode.FORCE);
            }
        },
        RESOURCES_DISPOSED {
            @Override
            Mono<Void> of(StreamEndTest test) {
                return test.serverResources.disposeLater();
            }
        },
        ENGINE_CLOSED {
            @Override
            Mono<Void> of(StreamEndTest test) {
                return Mono.fromFuture(test.serverResources.engines().getFirst().closeAsync());
            }
        };

        abstract Mono<Void> of(StreamEndTest test);
    }

    @BeforeEach
    void open() {
        serverResources = route.resources().build();
        clientResources = route.resources().build();
    }

    @AfterEach
    void close() {
        if (serverResources != null) {
            clientResources.disposeNow();
            serverResources.disposeNow();
        }
    }

    private void serve(Function<UcxConnection, Publisher<Void>> handler) {
        server = UcxServer.create(serverResources).acceptWorkerAddresses(true).handle(connection -> {
            accepted.complete(connection);
            return handler.apply(connection);
        }).bindNow();
        UcxClient unconnected = UcxClient.create(clientResources).heartbeatInterval(TestTime.millis(500));
        client = (route.byWorkerAddress()
                ? unconnected.remoteWorkerAddress(serverResources.workerAddress(0).block(Waits.PATIENCE))
                : unconnected.remoteAddress("127.0.0.1", server.port())).connectNow();
    }

    private CompletableFuture<Signal<byte[]>> receive() {
        return client.inbound().receiveByteArrays().doOnNext(got::add).materialize()
                .filter(signal -> !signal.isOnNext()).next().toFuture();
    }

    private static Flux<byte[]> messages(int count) {
        return Flux.range(0, count).map(number -> new byte[] {number.byteValue()});
    }

    private void assertLost(Signal<?> end) {
        assertThat(end.getThrowable()).isInstanceOfSatisfying(UcxException.class, lost -> {
            assertThat(lost.isConnectionLost()).isTrue();
            assertThat(lost.peer()).isEqualTo(client.peer());
        });
    }

    @Test
    void handlerThatCompletesCompletesTheStream() {
        serve(connection -> connection.outbound().sendByteArrays(messages(ALL)));

        assertThat(Waits.get(receive()).isOnComplete()).isTrue();
        assertThat(got).hasSize(ALL);
    }

    @Test
    void handlerWhoseSourceFailsFailsTheStream() {
        serve(connection -> connection.outbound().sendByteArrays(messages(3)
                .concatWith(Flux.error(new IllegalStateException("after three")))));

        assertLost(Waits.get(receive()));
        assertThat(got).hasSize(3);
    }

    @Test
    void handlerThatFailsAfterItsSendsFailsTheStream() {
        serve(connection -> connection.outbound().sendByteArrays(messages(3))
                .then(Mono.error(new IllegalStateException("after three"))));

        assertLost(Waits.get(receive()));
        assertThat(got).hasSize(3);
    }

    @Test
    void handlerThatFailsBeforeItSendsFailsTheStream() {
        CompletableFuture<Void> now = new CompletableFuture<>();
        serve(connection -> Mono.fromFuture(now));
        CompletableFuture<Signal<byte[]>> end = receive();
        Waits.engineOf(client);

        now.completeExceptionally(new IllegalStateException("before the first message"));

        assertLost(Waits.get(end));
    }

    @Test
    void handlerThatRecoversFromAnErrorCompletesTheStream() {
        serve(connection -> connection.outbound().sendByteArrays(messages(3)
                .concatWith(Flux.error(new IllegalStateException("after three")))).onErrorComplete());

        assertThat(Waits.get(receive()).isOnComplete()).isTrue();
        assertThat(got).hasSize(3);
    }

    @Test
    void handlerThatNeverSentIsNotInterruptedByTheStop() {
        serve(connection -> Mono.never());
        CompletableFuture<Signal<byte[]>> end = receive();
        Waits.engineOf(client);

        server.close().block(Waits.PATIENCE);

        assertThat(Waits.get(end).isOnComplete()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void stopInTheMiddleOfASendFailsTheStream(Stop stop) {
        serve(connection -> connection.outbound().sendByteArrays(messages(SENT).concatWith(Flux.never())));
        CompletableFuture<Signal<byte[]>> end = receive();
        await().atMost(Waits.PATIENCE).until(() -> got.size() == SENT);

        stop.of(this).block(Waits.PATIENCE);

        assertLost(Waits.get(end));
        assertThat(got).hasSize(SENT);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVER_DISPOSED", "GRACE_PERIOD_OVER", "CONNECTION_FORCED", "RESOURCES_DISPOSED",
        "ENGINE_CLOSED"})
    void stopBetweenTwoSendsOfAHandlerFailsTheStream(Stop stop) {
        serve(connection -> messages(SENT).concatWith(Flux.never())
                .concatMap(message -> connection.outbound().sendByteArrays(Mono.just(message))).then());
        CompletableFuture<Signal<byte[]>> end = receive();
        await().atMost(Waits.PATIENCE).until(() -> got.size() == SENT);

        stop.of(this).block(Waits.PATIENCE);

        assertLost(Waits.get(end));
    }

    @Test
    void sideThatClosesByForceDoesNotTakeItsOwnStreamForComplete() {
        serve(connection -> connection.outbound().sendByteArrays(messages(SENT).concatWith(Flux.never())));
        CompletableFuture<Signal<byte[]>> end = receive();
        await().atMost(Waits.PATIENCE).until(() -> got.size() == SENT);

        client.close(CloseMode.FORCE).block(Waits.PATIENCE);

        assertThat(Waits.get(end).getThrowable()).isInstanceOf(UcxClosedException.class);
    }

    @Test
    void sideThatClosesInTheMiddleOfThePeersSendDoesNotTakeItsStreamForComplete() {
        serve(connection -> connection.outbound().sendByteArrays(messages(SENT).concatWith(Flux.never())));
        CompletableFuture<Signal<byte[]>> end = receive();
        await().atMost(Waits.PATIENCE).until(() -> got.size() == SENT);

        client.close().block(Waits.PATIENCE);

        assertThat(Waits.get(end).getThrowable()).isInstanceOf(UcxClosedException.class);
    }

    @Test
    void sideThatClosesSeesTheCompletionOfWhatThePeerHasSent() {
        serve(connection -> connection.outbound().sendByteArrays(messages(SENT)).then(Mono.never()));
        CompletableFuture<Signal<byte[]>> end = receive();
        await().atMost(Waits.PATIENCE).until(() -> got.size() == SENT);

        client.close().block(Waits.PATIENCE);

        assertThat(Waits.get(end).isOnComplete()).isTrue();
    }

    @Test
    void sideThatClosesDoesNotTakeAStreamForCompleteWhoseMessagesItDrops() {
        serve(connection -> connection.outbound().sendByteArrays(messages(ALL)).then(Mono.never()));

        CompletableFuture<Signal<byte[]>> end = client.inbound().receiveByteArrays().doOnNext(message -> {
            if (got.isEmpty()) {
                client.close().subscribe();
            }
            got.add(message);
        }).materialize().filter(signal -> !signal.isOnNext()).next().toFuture();

        assertThat(Waits.get(end).getThrowable()).isInstanceOf(UcxClosedException.class);
        assertThat(got).hasSizeLessThan(ALL);
    }

    @ParameterizedTest
    @EnumSource
    void stopInTheMiddleOfAnUploadFailsTheServersStream(Stop stop) {
        CompletableFuture<Signal<byte[]>> end = new CompletableFuture<>();
        serve(connection -> connection.inbound().receiveByteArrays().doOnNext(got::add).materialize()
                .filter(signal -> !signal.isOnNext()).next().doOnNext(end::complete).then());
        PendingOperation sent = PendingOperation.of(client.outbound()
                .sendByteArrays(messages(SENT).concatWith(Flux.never())));
        await().atMost(Waits.PATIENCE).until(() -> got.size() == SENT);

        stop.of(this).block(Waits.PATIENCE);

        assertThat(Waits.get(end).getThrowable()).isInstanceOf(UcxClosedException.class);
        assertThat(sent.failure()).isInstanceOfSatisfying(UcxException.class, lost ->
                assertThat(lost.isConnectionLost()).isTrue());
    }

    @Test
    void clientThatClosesInTheMiddleOfASendFailsTheServersStream() {
        CompletableFuture<Signal<byte[]>> end = new CompletableFuture<>();
        serve(connection -> connection.inbound().receiveByteArrays().doOnNext(got::add).materialize()
                .filter(signal -> !signal.isOnNext()).next().doOnNext(end::complete).then());
        PendingOperation sent = PendingOperation.of(client.outbound()
                .sendByteArrays(messages(SENT).concatWith(Flux.never())));
        await().atMost(Waits.PATIENCE).until(() -> got.size() == SENT);

        client.close().block(Waits.PATIENCE);

        assertThat(sent.failure()).isInstanceOf(UcxClosedException.class);
        assertThat(Waits.get(end).getThrowable()).isInstanceOfSatisfying(UcxException.class, lost ->
                assertThat(lost.isConnectionLost()).isTrue());
    }

    @Test
    void requestsOfAChannelThatACloseInterruptsDoNotComplete() {
        CompletableFuture<Signal<UcxBuffer>> end = new CompletableFuture<>();
        CompletableFuture<Void> first = new CompletableFuture<>();
        UcxResponder responder = new UcxResponder() {
            @Override
            public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
                requests.doOnNext(request -> {
                    request.release();
                    first.complete(null);
                }).materialize().filter(signal -> !signal.isOnNext()).next().subscribe(end::complete);
                return Flux.never();
            }
        };
        serve(connection -> connection.respond(responder));
        PendingOperation channel = PendingOperation.of(client.requester().requestChannel(Flux.defer(() ->
                Flux.just(clientResources.buffers().copyOf(new byte[1])).concatWith(Flux.never()))).then());
        Waits.get(first);

        client.close().block(Waits.PATIENCE);

        assertThat(channel.failure()).isInstanceOf(UcxClosedException.class);
        assertThat(Waits.get(end).getThrowable()).isInstanceOfSatisfying(UcxException.class, lost ->
                assertThat(lost.isConnectionLost()).isTrue());
    }

    /** The kinds of requests that are under way when the server stops. */
    enum Kind {
        RESPONSE {
            @Override
            Publisher<?> of(UcxConnection client) {
                return client.requester().requestResponse(new byte[3]);
            }
        },
        LARGE {
            @Override
            Publisher<?> of(UcxConnection client) {
                return client.requester().requestResponse(new byte[100_000]);
            }
        },
        WITH_DEADLINE {
            @Override
            Publisher<?> of(UcxConnection client) {
                return client.requester().withDeadline(Duration.ofHours(1)).requestResponse(new byte[3]);
            }
        },
        STREAM {
            @Override
            Publisher<?> of(UcxConnection client) {
                return client.requester().requestStream(new byte[3]);
            }
        },
        CHANNEL {
            @Override
            Publisher<?> of(UcxConnection client) {
                return client.requester().requestChannel(Flux.never());
            }
        };

        abstract Publisher<?> of(UcxConnection client);
    }

    @ParameterizedTest
    @EnumSource
    void stoppedServerFailsRequestsUnderWayWithTheLossOfTheConnection(Stop stop) {
        Queue<Kind> asked = new ConcurrentLinkedQueue<>();
        serve(connection -> connection.respond(new UcxResponder() {
            private Flux<UcxBuffer> ask(UcxBuffer request, Kind kind) {
                request.release();
                return Flux.<UcxBuffer>never().doOnSubscribe(subscription -> asked.add(kind));
            }

            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return ask(request, Kind.RESPONSE).next();
            }

            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                return ask(request, Kind.STREAM);
            }

            @Override
            public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
                return Flux.<UcxBuffer>never().doOnSubscribe(subscription -> asked.add(Kind.CHANNEL));
            }
        }));
        var ends = Flux.fromArray(Kind.values()).map(kind -> Flux.from(kind.of(client)).materialize().next()
                .toFuture()).collectList().block();
        await().atMost(Waits.PATIENCE).until(() -> asked.size() == Kind.values().length);

        stop.of(this).block(Waits.PATIENCE);

        assertThat(ends).allSatisfy(end -> assertLost(Waits.get(end)));
    }
}
