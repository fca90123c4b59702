package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An engine that fails ends its connections, their operations and its servers with an error; nothing waits for it. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"posix,tcp", "tcp"})
class EngineFailureTest implements NeedsUcx {

    private static final int ID = 3;
    private static final String FAILED = "has failed: java.lang.OutOfMemoryError: planted by a test";

    @Parameter
    private String transports;
    private UcxResources resources;
    private UcxResources peerResources;
    private UcxBoundServer server;
    private final BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();

    @BeforeEach
    void open() {
        resources = UcxResources.builder().transports(transports.split(",")).build();
        peerResources = UcxResources.builder().transports(transports.split(",")).build();
        server = UcxServer.create(resources).bindAddress("127.0.0.1", 0).handle(connection -> {
            accepted.add(connection);
            return connection.respond(new Silent());
        }).bindNow();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            resources.disposeNow();
            peerResources.disposeNow();
            assertThat(resources.context().isClosed()).as("the context is closed").isTrue();
            assertThat(peerResources.context().isClosed()).as("the peer's context is closed").isTrue();
        }
    }

    private UcxConnection connect() {
        return UcxClient.create(peerResources).remoteAddress("127.0.0.1", server.port()).connectNow();
    }

    private UcxConnection acceptedConnection() throws InterruptedException {
        return Objects.requireNonNull(accepted.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    private static final class Silent implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            request.release();
            return Mono.never();
        }
    }

    private static void failEngine(UcxResources of) {
        of.engines().getFirst().execute(new Command() {
            @Override
            public void run(UcpWorker worker) {
                throw new OutOfMemoryError("planted by a test");
            }

            @Override
            public void reject(RuntimeException cause) {
                throw new AssertionError(cause);
            }
        });
    }

    @Test
    void connectionsOperationsAndServerEndWithTheError() throws InterruptedException {
        UcxConnection client = connect();
        UcxConnection served = acceptedConnection();
        List<CompletableFuture<?>> waiting = List.of(
                served.activeMessages().receive(ID).next().toFuture(),
                served.inbound().receiveByteArrays().next().toFuture(),
                served.tags().receive(7, Bytes.zeroed(64)).toFuture(),
                served.onTerminate().toFuture());
        List<CompletableFuture<?>> waitingPeer = List.of(
                client.inbound().receiveByteArrays().next().toFuture(),
                client.requester().requestResponse(new byte[8]).toFuture());
        CompletableFuture<Void> ended = server.onDispose().toFuture();

        failEngine(resources);

        assertThat(Waits.failure(ended)).isInstanceOf(UcxException.class).hasMessageContaining(FAILED)
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
        for (CompletableFuture<?> each : waiting) {
            assertThat(Waits.failure(each)).isInstanceOfSatisfying(UcxException.class, error ->
                    assertThat(error.isConnectionLost()).as("%s", error).isTrue()).hasMessageContaining(FAILED);
        }
        Waits.get(served.onDispose().toFuture());
        for (CompletableFuture<?> each : waitingPeer) {
            assertThat(Waits.failure(each)).isInstanceOf(UcxException.class);
        }
        Waits.get(client.onDispose().toFuture());
        assertThat(server.isDisposed()).isTrue();
        assertThat(resources.openConnections()).isZero();
        await().atMost(Waits.PATIENCE).until(() -> resources.engines().stream().allMatch(ProgressEngine::isClosed));
    }

    @Test
    void nothingBeginsOnAFailedEngineAndTheErrorNamesItsFailure() throws InterruptedException {
        UcxConnection client = connect();
        acceptedConnection();
        failEngine(peerResources);
        Waits.get(client.onDispose().toFuture());

        assertThatThrownBy(() -> client.activeMessages().send(ID, new byte[1]).block(Waits.PATIENCE))
                .isInstanceOf(UcxException.class);
        assertThatThrownBy(this::connect).isInstanceOf(UcxException.class).hasMessageContaining(FAILED);
        assertThatThrownBy(() -> UcxServer.create(peerResources).bindAddress("127.0.0.1", 0)
                .handle(connection -> Mono.never()).bindNow())
                .isInstanceOf(UcxException.class).hasMessageContaining(FAILED);
        assertThat(server.isDisposed()).as("the server at the other side").isFalse();

        peerResources.disposeNow();
        peerResources = UcxResources.builder().transports(transports.split(",")).build();
        assertThat(connect().isDisposed()).isFalse();
    }

    @Test
    void subscriberWithoutMemoryEndsItsConnectionInsteadOfWaiting() throws InterruptedException {
        UcxConnection client = connect();
        UcxConnection served = acceptedConnection();
        CompletableFuture<Void> ended = server.onDispose().toFuture();
        CompletableFuture<byte[]> other = served.activeMessages().receive(ID + 1).next().map(message ->
                Bytes.array(message.data())).toFuture();
        Flux.from(served.activeMessages().receive(ID)).doOnNext(message -> {
            throw new OutOfMemoryError("planted by a test");
        }).subscribe();

        client.activeMessages().send(ID, new byte[8]).block(Waits.PATIENCE);

        assertThat(Waits.failure(other)).hasMessageContaining(FAILED);
        assertThat(Waits.failure(ended)).hasMessageContaining(FAILED);
    }

    /** Takes all memory in the call, or in the publisher that it returns. */
    private static final class Exhausted implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            request.release();
            throw new OutOfMemoryError("planted by a test");
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            request.release();
            return Flux.defer(() -> {
                throw new OutOfMemoryError("planted by a test");
            });
        }
    }

    @Test
    void responderWithoutMemoryEndsItsRequestAndItsServer() throws InterruptedException {
        for (boolean inTheCall : new boolean[] {true, false}) {
            UcxResources failing = UcxResources.builder().transports(transports.split(",")).build();
            try {
                server = UcxServer.create(failing).respond(new Exhausted()).bindNow();
                CompletableFuture<Void> ended = server.onDispose().toFuture();
                UcxConnection client = connect();
                assertThat(client.isDisposed()).isFalse();

                CompletableFuture<?> answer = inTheCall ? client.requester().requestResponse(new byte[8]).toFuture()
                        : client.requester().requestStream(new byte[8]).then().toFuture();

                assertThat(Waits.failure(answer)).isInstanceOfAny(UcxException.class, UcxRequestException.class);
                assertThat(Waits.failure(ended)).hasMessageContaining(FAILED);
                Waits.get(client.onDispose().toFuture());
            } finally {
                failing.disposeNow();
            }
        }
    }

    @Test
    void handlersAndHooksWithoutMemoryEndTheirConnectionAndTheirServer() {
        List<UnaryOperator<UcxServer>> places = List.of(
                settings -> settings.handle(connection -> {
                    throw new OutOfMemoryError("planted by a test");
                }),
                settings -> settings.handle(connection -> Mono.defer(() -> {
                    throw new OutOfMemoryError("planted by a test");
                })),
                settings -> settings.doOnConnection(connection -> {
                    throw new OutOfMemoryError("planted by a test");
                }).handle(connection -> Mono.never()),
                settings -> settings.doOnHandlerError((connection, error) -> {
                    throw new OutOfMemoryError("planted by a test");
                }).handle(connection -> Mono.error(new IllegalStateException("a fault of the handler"))));
        for (UnaryOperator<UcxServer> place : places) {
            UcxResources failing = UcxResources.builder().transports(transports.split(",")).build();
            try {
                server = place.apply(UcxServer.create(failing)).bindNow();
                CompletableFuture<Void> ended = server.onDispose().toFuture();

                // The engine may fail while the client is still connecting to it.
                UcxClient.create(peerResources).remoteAddress("127.0.0.1", server.port()).connect()
                        .flatMap(UcxConnection::onDispose).onErrorComplete(UcxException.class).block(Waits.PATIENCE);

                assertThat(Waits.failure(ended)).hasMessageContaining(FAILED);
            } finally {
                failing.disposeNow();
            }
        }
    }

    @Test
    void operationsInFlightEndBeforeTheirMemoryIsFreed() throws InterruptedException {
        UcxConnection client = connect();
        acceptedConnection();
        // The peer receives none of these: they are in flight until the connection ends.
        List<CompletableFuture<Void>> sends = IntStream.range(0, 20).mapToObj(i ->
                client.tags().sendSync(i, Bytes.pattern(i, Bytes.MIB)).toFuture()).toList();

        failEngine(peerResources);

        for (CompletableFuture<Void> each : sends) {
            assertThat(Waits.failure(each)).isInstanceOf(UcxException.class);
        }
    }

    /** UCX 1.13 offers messages of this size; newer versions send them at once, as far as the peer takes them in. */
    @Test
    void sendsThatEndedWellHaveArrivedAndTheOthersFail() throws InterruptedException {
        UcxConnection client = connect();
        acceptedConnection();
        List<CompletableFuture<Void>> sends = IntStream.range(0, 20).mapToObj(i ->
                client.tags().send(i, Bytes.pattern(i, Bytes.MIB)).toFuture()).toList();

        failEngine(peerResources);

        await().atMost(Waits.PATIENCE).until(() -> sends.stream().allMatch(CompletableFuture::isDone));
        List<Integer> well = IntStream.range(0, 20).filter(i -> !sends.get(i).isCompletedExceptionally()).boxed()
                .toList();
        sends.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(each ->
                assertThat(Waits.failure(each)).isInstanceOf(UcxException.class));
        if (!Ucx.version().isAtLeast(1, 16)) {
            assertThat(well).as("offers that nobody took").isEmpty();
        }
        peerResources.disposeNow();
        peerResources = UcxResources.builder().transports(transports.split(",")).build();
        assertThat(connect().isDisposed()).isFalse();
        // Tags belong to the engine, not to the connection.
        UcxConnection served = acceptedConnection();
        for (int i : well) {
            MemorySegment arrived = Bytes.zeroed(Bytes.MIB);
            Waits.get(served.tags().receive(i, arrived).toFuture());
            Bytes.assertSame(arrived, Bytes.pattern(i, Bytes.MIB));
        }
    }

    @Test
    void handlerThatTakesAllMemoryEndsTheServerOfAProcessThatGoesOn() {
        try (ChildJvm child = ChildJvm.of(ExhaustedServer.class).options("-Xmx64m")
                .arguments(transports.split(",")).start()) {
            int port = Integer.parseInt(child.awaitLine(ExhaustedServer.READY).split(" ")[1]);
            UcxConnection client = UcxClient.create(peerResources).remoteAddress("127.0.0.1", port).connectNow();

            client.activeMessages().send(ExhaustedServer.ID, new byte[1]).block(Waits.PATIENCE);

            assertThat(child.awaitLine(ExhaustedServer.ENDED)).contains("has failed: java.lang.OutOfMemoryError");
            Waits.get(client.onDispose().toFuture());
            assertThat(child.awaitLine(ExhaustedServer.AGAIN)).isEqualTo(ExhaustedServer.AGAIN + "true");
        }
    }

    @Test
    void serverEndsWithOneOfItsEnginesAndClosesTheConnectionsOfTheOthers() throws InterruptedException {
        UcxResources two = UcxResources.builder().transports(transports.split(",")).engines(2).build();
        try {
            server = UcxServer.create(two).bindAddress("127.0.0.1", 0).handle(connection -> {
                accepted.add(connection);
                return Mono.never();
            }).bindNow();
            List<UcxConnection> clients = List.of(connect(), connect());
            acceptedConnection();
            acceptedConnection();
            CompletableFuture<Void> ended = server.onDispose().toFuture();

            failEngine(two);

            assertThat(Waits.failure(ended)).hasMessageContaining(FAILED);
            clients.forEach(each -> Waits.get(each.onDispose().toFuture()));
            assertThat(two.engines().getLast().isClosed()).as("the other engine").isFalse();
        } finally {
            two.disposeNow();
        }
    }
}
