package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;
import reactor.util.retry.Retry;

/** A connection that is made anew: who waits, who fails, and how it all ends. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class ReconnectTest implements NeedsUcx {

    private static final int ID = RestartableServer.ID;
    private static final Retry PERSISTENT = Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(20));

    @Parameter
    private Route route;
    private RestartableServer server;
    private UcxResources resources;
    private boolean virtual;

    @BeforeEach
    void open() {
        server = new RestartableServer(route);
        resources = route.resources().build();
    }

    @AfterEach
    void close() {
        if (virtual) {
            VirtualTimeScheduler.reset();
        }
        if (resources != null) {
            resources.disposeNow();
            server.close();
            assertThat(resources.openConnections()).isZero();
            assertThat(resources.context().isClosed()).isTrue();
        }
    }

    private VirtualTimeScheduler virtualTime() {
        virtual = true;
        return VirtualTimeScheduler.getOrSet();
    }

    private UcxReconnectingClient client(Retry retry) {
        return UcxClient.create(resources).heartbeatInterval(Duration.ZERO).remoteAddress("127.0.0.1", server.port())
                .connectTimeout(Duration.ofSeconds(5)).reconnect(retry);
    }

    private static UcxReconnectingConnection connect(UcxReconnectingClient client) {
        return client.connectNow(Waits.PATIENCE);
    }

    private static Mono<byte[]> echo(UcxConnection connection, byte... bytes) {
        // Subscribed to in this order: what is sent second cannot be answered before the first receives.
        return Mono.zip(connection.activeMessages().receive(ID).next(),
                connection.activeMessages().send(ID, bytes).thenReturn(true))
                .map(both -> Bytes.array(both.getT1().data()));
    }

    private static void assertEchoes(UcxReconnectingConnection connection) {
        assertThat(connection.withConnection(live -> echo(live, (byte) 7)).block(Waits.PATIENCE)).containsExactly(7);
    }

    private static void awaitState(UcxReconnectingConnection connection, ConnectionState state) {
        await().atMost(Waits.PATIENCE).until(() -> connection.state() == state);
    }

    private static UcxException ucx(Throwable error, UcxStatus status) {
        assertThat(error).isInstanceOfSatisfying(UcxException.class, ucx -> assertThat(ucx.status()).isEqualTo(status));
        return (UcxException) error;
    }

    private UcxReconnectingClient wrongSecret() {
        return UcxClient.create(resources).heartbeatInterval(Duration.ZERO).remoteAddress("127.0.0.1", server.port())
                .authenticator(Authenticator.sharedSecret(new byte[32])).reconnect(PERSISTENT);
    }

    @Test
    void wrongSecretEndsTheFirstAttemptWhateverTheRetrySays() {
        server.close();
        server = new RestartableServer(route, settings -> settings.authenticator(HandshakePair.secret()));

        Throwable error = Waits.failure(wrongSecret().connect().toFuture());

        assertThat(ucx(error, UcxStatus.REJECTED)).hasMessageContaining("authentication failed")
                .cause().isInstanceOf(UcxException.class);
    }

    @Test
    void secretThatBecameWrongEndsTheReconnecting() {
        AtomicReference<byte[]> secret = new AtomicReference<>(new byte[32]);
        server.close();
        server = new RestartableServer(route, settings ->
                settings.authenticator(Authenticator.sharedSecret(secret.get())));
        UcxReconnectingConnection connection = connect(wrongSecret());
        assertEchoes(connection);

        server.stop();
        secret.set(HandshakePair.SECRET.clone());
        server.start();

        Waits.get(connection.onDispose().toFuture());
        assertThat(connection.state()).isEqualTo(ConnectionState.CLOSED);
        ucx(Waits.failure(connection.connection().toFuture()), UcxStatus.REJECTED);
    }

    @Test
    void endOfTheClientsEngineEndsTheReconnecting() {
        UcxReconnectingConnection connection = connect(client(PERSISTENT));

        resources.engines().getFirst().closeAsync();

        Waits.get(connection.onDispose().toFuture());
        assertThat(Waits.failure(connection.connection().toFuture())).isInstanceOf(UcxException.class);
    }

    /** How a connection may end without this side's doing. */
    enum End {
        LOST {
            @Override
            void make(RestartableServer server) {
                server.loseAll();
            }
        },
        CLOSED_IN_GOOD_ORDER {
            @Override
            void make(RestartableServer server) {
                server.stop();
                server.start();
            }
        };

        abstract void make(RestartableServer server);
    }

    @ParameterizedTest
    @EnumSource
    void isMadeAnewAndSetUpAnew(End end) {
        AtomicInteger setUps = new AtomicInteger();
        UcxReconnectingConnection connection = connect(client(PERSISTENT)
                .onConnected(live -> echo(live, (byte) setUps.incrementAndGet()).then()));
        Queue<ConnectionState> states = new ConcurrentLinkedQueue<>();
        connection.states().subscribe(states::add);
        UcxConnection first = connection.connection().block(Waits.PATIENCE);
        assertThat(connection.connection().block(Waits.PATIENCE)).as("one for all").isSameAs(first);
        assertEchoes(connection);

        end.make(server);
        await().atMost(Waits.PATIENCE).until(() -> connection.reconnects() == 1
                && connection.state() == ConnectionState.CONNECTED);

        assertThat(connection.connection().block(Waits.PATIENCE)).isNotSameAs(first);
        assertEchoes(connection);
        assertThat(setUps).hasValue(2);
        assertThat(resources.connectionStatistics().reconnects()).isEqualTo(1);
        connection.close().block(Waits.PATIENCE);
        assertThat(states).containsExactly(ConnectionState.CONNECTED, ConnectionState.RECONNECTING,
                ConnectionState.CONNECTED,
                ConnectionState.CLOSING, ConnectionState.CLOSED);
    }

    @Test
    void newWorkWaitsForTheNextConnection() {
        UcxReconnectingConnection connection = connect(client(PERSISTENT));
        server.stop();
        awaitState(connection, ConnectionState.RECONNECTING);
        List<CompletableFuture<byte[]>> waiting = IntStream.range(0, 3)
                .mapToObj(i -> connection.connection().map(live -> new byte[] {(byte) i})
                .toFuture()).toList();
        await().atMost(Waits.PATIENCE).until(() -> connection.pending() == 3);
        assertThat(resources.connectionStatistics().pendingReconnects()).isEqualTo(3);
        waiting.getLast().cancel(true);
        await().atMost(Waits.PATIENCE).until(() -> connection.pending() == 2);

        server.start();

        assertThat(Waits.get(waiting.getFirst())).containsExactly(0);
        assertThat(Waits.get(waiting.get(1))).containsExactly(1);
        await().atMost(Waits.PATIENCE).until(() -> connection.pending() == 0);
        assertEchoes(connection);
    }

    @Test
    void oneMoreThanMayWaitFailsAtOnce() {
        UcxReconnectingConnection connection = connect(client(PERSISTENT).pendingMaxCount(1));
        server.stop();
        awaitState(connection, ConnectionState.RECONNECTING);
        CompletableFuture<UcxConnection> waiting = connection.connection().toFuture();

        UcxException refused = ucx(Waits.failure(connection.connection().toFuture()), UcxStatus.EXCEEDS_LIMIT);

        assertThat(refused.isRetryable()).isTrue();
        assertThat(refused).hasMessageContaining("pendingMaxCount 1");
        assertThat(connection.pending()).isEqualTo(1);
        server.start();
        Waits.get(waiting);
    }

    @Test
    void waitHasItsTime() {
        VirtualTimeScheduler time = virtualTime();
        UcxReconnectingConnection connection = connect(client(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofHours(1)))
                .pendingTimeout(Duration.ofSeconds(7)));
        server.loseAll();
        awaitState(connection, ConnectionState.RECONNECTING);
        CompletableFuture<UcxConnection> waiting = connection.connection().toFuture();

        time.advanceTimeBy(Duration.ofMillis(6999));
        assertThat(waiting).isNotDone();
        time.advanceTimeBy(Duration.ofMillis(1));

        assertThat(ucx(Waits.failure(waiting), UcxStatus.TIMED_OUT)).hasMessageContaining("pendingTimeout PT7S");
        assertThat(connection.pending()).isZero();
        assertThat(connection.state()).isEqualTo(ConnectionState.RECONNECTING);
    }

    @Test
    void retrySeesTheLossAndDecidesWhenToTry() {
        VirtualTimeScheduler time = virtualTime();
        Queue<Throwable> seen = new ConcurrentLinkedQueue<>();
        UcxReconnectingConnection connection = connect(client(Retry.fixedDelay(3, Duration.ofSeconds(9))
                .doBeforeRetry(signal -> seen.add(signal.failure()))));
        assertThat(seen).isEmpty();
        server.loseAll();
        await().atMost(Waits.PATIENCE).until(() -> seen.size() == 1);
        assertThat(seen.remove()).isInstanceOfSatisfying(UcxException.class, loss -> assertThat(loss.isConnectionLost())
                .isTrue());

        time.advanceTimeBy(Duration.ofMillis(8999));
        assertThat(connection.state()).isEqualTo(ConnectionState.RECONNECTING);
        assertThat(server.accepted()).isEqualTo(1);
        time.advanceTimeBy(Duration.ofMillis(1));

        awaitState(connection, ConnectionState.CONNECTED);
        assertThat(server.accepted()).isEqualTo(2);
    }

    @Test
    void workUnderWayFailsAndCanBeRepeated() {
        UcxReconnectingConnection connection = connect(client(PERSISTENT));
        MemorySegment large = Bytes.pattern(1, 100_000);
        AtomicInteger tries = new AtomicInteger();
        // Nobody receives these: they are under way until the connection ends.
        PendingOperation sent = PendingOperation.of(connection.withConnection(live -> tries.incrementAndGet() > 1
                ? Mono.<Void>empty()
                        : live.tags().sendSync(1, large))
                .retryWhen(Retry.max(1).filter(error -> error instanceof UcxException lost
                && lost.isConnectionLost())));
        PendingOperation failing = PendingOperation.of(connection.withConnection(live -> live.tags()
                .sendSync(2, large)));
        Waits.engineOf(connection.connection().block(Waits.PATIENCE));

        server.loseAll();

        sent.assertDone();
        assertThat(failing.failure()).isInstanceOfSatisfying(UcxException.class, lost ->
                assertThat(lost.isConnectionLost()).isTrue());
        assertThat(tries).hasValue(2);
    }

    @Test
    void workThatTheEndOvertakesFailsAsLost() {
        UcxReconnectingConnection connection = connect(client(PERSISTENT));

        Throwable refused = Waits.failure(connection.withConnection(live -> live.close().then(live.flush()))
                .toFuture());

        assertThat(ucx(refused, UcxStatus.NOT_CONNECTED).isConnectionLost()).isTrue();
        assertThat(refused).hasCauseInstanceOf(UcxClosedException.class);
        assertEchoes(connection);
        assertThat(connection.reconnects()).as("who closes the connection itself gets another").isEqualTo(1);
    }

    @Test
    void allFailWhenTheRetryGivesUp() {
        Sinks.Empty<Void> later = Sinks.empty();
        UcxReconnectingConnection connection = connect(client(Retry.from(signals ->
                signals.concatMap(signal -> signal.totalRetries() < 2
                ? later.asMono().thenReturn(1L) : Mono.error(signal.failure())))));
        server.stop();
        awaitState(connection, ConnectionState.RECONNECTING);
        CompletableFuture<UcxConnection> waiting = connection.connection().toFuture();

        later.tryEmitEmpty();

        UcxException gaveUp = ucx(Waits.failure(waiting), UcxStatus.NOT_CONNECTED);
        assertThat(gaveUp).hasMessageContaining("gave up").hasCauseInstanceOf(UcxException.class);
        connection.onDispose().block(Waits.PATIENCE);
        assertThat(connection.state()).isEqualTo(ConnectionState.CLOSED);
        assertThat(connection.isDisposed()).isTrue();
        server.start();
        assertThat(Waits.failure(connection.withConnection(UcxConnection::flush).toFuture()))
                .hasMessageContaining("gave up")
                .hasCause(gaveUp.getCause()).isNotSameAs(gaveUp);
        connection.close().block(Waits.PATIENCE);
    }

    @Test
    void exhaustedRetryGivesTheLastErrorAsCause() {
        server.stop();

        Throwable failed = Waits.failure(client(Retry.fixedDelay(2, Duration.ofMillis(1))).connect().toFuture());

        assertThat(ucx(failed, UcxStatus.NOT_CONNECTED)).cause().isInstanceOfSatisfying(UcxException.class,
                last -> assertThat(last.operation()).isEqualTo("connect"));
        await().atMost(Waits.PATIENCE).until(() -> resources.openConnections() == 0);
    }

    @Test
    void closeEndsAllOfIt() {
        UcxReconnectingConnection connection = connect(client(PERSISTENT));
        server.stop();
        awaitState(connection, ConnectionState.RECONNECTING);
        CompletableFuture<UcxConnection> waiting = connection.connection().toFuture();

        connection.close().block(Waits.PATIENCE);

        assertThat(Waits.failure(waiting)).isInstanceOf(UcxClosedException.class);
        assertThat(Waits.failure(connection.withConnectionMany(UcxConnection::flush).then().toFuture()))
                .isInstanceOf(UcxClosedException.class);
        server.start();
        assertThat(connection.state()).isEqualTo(ConnectionState.CLOSED);
        connection.onDispose().block(Waits.PATIENCE);
        connection.dispose();
        resources.disposeNow();
        assertThat(server.accepted()).isEqualTo(1);
    }

    @Test
    void closeOfALiveOneIsInGoodOrder() {
        UcxReconnectingConnection connection = connect(client(PERSISTENT));
        UcxConnection live = connection.connection().block(Waits.PATIENCE);

        connection.disposeNow(Waits.PATIENCE);

        live.onTerminate().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> server.server().connections() == 0);
        assertThat(server.accepted()).isEqualTo(1);
    }

    @Test
    void resourcesTakeItWithThem() {
        UcxReconnectingConnection connection = connect(client(PERSISTENT));

        resources.disposeNow();

        connection.onDispose().block(Waits.PATIENCE);
        assertThat(connection.state()).isEqualTo(ConnectionState.CLOSED);
        assertThat(server.accepted()).isEqualTo(1);
    }

    @Test
    void connectionThatCannotBeSetUpIsGivenUp() {
        AtomicInteger setUps = new AtomicInteger();

        UcxReconnectingConnection connection = connect(client(PERSISTENT)
                .onConnected(live -> switch (setUps.incrementAndGet()) {
                    case 1 -> throw new IllegalStateException("thrown by the setup");
                    case 2 -> Mono.error(new IllegalStateException("failed by the setup"));
                    case 3 -> null;
                    case 4 -> live.close().then(Mono.never());
                    default -> Mono.empty();
                }));

        assertEchoes(connection);
        assertThat(setUps).hasValue(5);
        await().atMost(Waits.PATIENCE).until(() -> resources.openConnections() == 1);
    }

    @Test
    void setupHasTheTimeThatConnectingHas() {
        VirtualTimeScheduler time = virtualTime();
        CompletableFuture<UcxConnection> begun = new CompletableFuture<>();
        CompletableFuture<UcxReconnectingConnection> connecting = client(Retry.max(0)).onConnected(live -> {
            begun.complete(live);
            return Mono.never();
        }).connect().toFuture();
        Waits.get(begun);

        await().atMost(Waits.PATIENCE).until(() -> {
            time.advanceTimeBy(Duration.ofSeconds(5));
            return connecting.isDone();
        });

        assertThat(ucx(Waits.failure(connecting), UcxStatus.TIMED_OUT)).hasMessageContaining("gave up")
                .hasMessageContaining("onConnected");
        await().atMost(Waits.PATIENCE).until(() -> resources.openConnections() == 0);
    }

    @Test
    void cancelledConnectLeavesNothing() {
        server.stop();
        CompletableFuture<UcxReconnectingConnection> connecting = client(PERSISTENT).connect().toFuture();

        connecting.cancel(true);
        server.start();

        StepVerifier.create(client(PERSISTENT).connect().flatMap(UcxReconnectingConnection::close)).verifyComplete();
        await().atMost(Waits.PATIENCE).until(() -> resources.openConnections() == 0
                && server.server().connections() == 0);
        assertThat(server.accepted()).isEqualTo(1);
    }

    @Test
    void everyQuestionIsAnsweredAlthoughTheServerRestartsAndLosesConnections() {
        int questions = 3000;
        // Answers carry the number of their question; one that was repeated may come twice.
        Sinks.Many<Integer> answers = Sinks.many().multicast().directBestEffort();
        UcxReconnectingConnection connection = connect(client(PERSISTENT).onConnected(live -> {
            live.activeMessages().receive(ID).map(answer -> ByteBuffer.wrap(Bytes.array(answer.data())).getInt())
                    .subscribe(number -> answers.emitNext(number,
                    Sinks.EmitFailureHandler.busyLooping(Waits.PATIENCE)), lost -> { });
            return Mono.empty();
        }));
        Retry again = Retry.backoff(1000, Duration.ofMillis(2)).maxBackoff(Duration.ofMillis(20));
        AtomicInteger done = new AtomicInteger();
        CompletableFuture<List<Integer>> all = Flux.range(0, questions).flatMap(number -> {
            byte[] question = ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
            Mono<Integer> answer = answers.asFlux().filter(number::equals).next().doOnSubscribe(ready ->
                    connection.withConnection(live -> live.activeMessages().send(ID, question))
                    .subscribe(sent -> { }, lost -> { }));
            return answer.timeout(Duration.ofMillis(500)).retryWhen(again).doOnNext(answered -> done.incrementAndGet());
        }, 16).collectList().toFuture();

        for (int restart = 1; restart <= 3; restart++) {
            int goal = restart * questions / 5;
            int losses = restart;
            await().atMost(Waits.PATIENCE).until(() -> done.get() >= goal);
            if (restart == 2) {
                server.loseAll();
            } else {
                server.stop();
                server.start();
            }
            await().atMost(Waits.PATIENCE).until(() -> connection.reconnects() == losses);
        }

        assertThat(Waits.get(all)).containsExactlyInAnyOrderElementsOf(Stream.iterate(0, number -> number + 1)
                .limit(questions).toList());
        assertThat(connection.reconnects()).isEqualTo(3);
        assertThat(connection.pending()).isZero();
    }
}
