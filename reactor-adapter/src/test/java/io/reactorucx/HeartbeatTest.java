package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.command.EngineExecutor;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.connection.Heartbeat;
import io.reactorucx.transport.connection.HeartbeatTimer;
import io.reactorucx.transport.frame.ControlFrame;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Signs of life keep a connection, and only silence of the peer ends it. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS", "POSIX_BY_WORKER_ADDRESS"})
class HeartbeatTest implements NeedsUcx {

    private static final Duration INTERVAL = TestTime.millis(200);
    private static final int LOOKS_PER_INTERVAL = 8;

    @Parameter
    private Route route;
    private Peers peers;

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private void connect(Duration ofClient, Duration ofServer) {
        connect(ofClient, ofServer, UnaryOperator.identity());
    }

    private void connect(Duration ofClient, Duration ofServer, UnaryOperator<UcxResourcesBuilder> resources) {
        peers = Peers.connect(route, resources, server -> server.heartbeatInterval(ofServer)
                .closeTimeout(Duration.ofSeconds(1)),
                client -> client.heartbeatInterval(ofClient).closeTimeout(Duration.ofSeconds(1)));
    }

    private static EngineConnections registry(UcxResources resources) {
        return resources.connecting().connections().getFirst();
    }

    private static <T> T on(UcxResources resources, Function<HeartbeatTimer, T> look) {
        return EngineCall.mono(registry(resources).engine(), worker ->
                look.apply(registry(resources).heartbeats()))
                .block(Waits.PATIENCE);
    }

    /** Waits until each of these sides has looked out for its peers for some time of its own. */
    private static void awaitLooks(Duration time, UcxResources... sides) {
        List<Long> enough = Arrays.stream(sides).map(side -> on(side, HeartbeatTimer::activeNanos) + time.toNanos())
                .toList();
        for (int i = 0; i < sides.length; i++) {
            UcxResources side = sides[i];
            long until = enough.get(i);
            await().atMost(Waits.PATIENCE).until(() -> on(side, HeartbeatTimer::activeNanos) > until);
        }
    }

    private void assertNothingMissed() {
        assertThat(peers.client().isDisposed()).isFalse();
        assertThat(peers.served().isDisposed()).isFalse();
        peers.assertWorks();
    }

    @Test
    void idleConnectionStays() {
        connect(INTERVAL, Duration.ZERO);

        awaitLooks(INTERVAL.multipliedBy(3), peers.clientResources(), peers.serverResources());

        assertNothingMissed();
    }

    @Test
    void withoutAnIntervalNobodyLooks() {
        connect(Duration.ZERO, Duration.ZERO);

        assertThat(on(peers.clientResources(), HeartbeatTimer::watched)).isZero();
        assertThat(on(peers.serverResources(), HeartbeatTimer::watched)).isZero();
    }

    @Test
    void closedConnectionIsNotWatched() {
        connect(INTERVAL, INTERVAL);
        assertThat(on(peers.clientResources(), HeartbeatTimer::watched)).isEqualTo(1);

        peers.client().close().block(Waits.PATIENCE);
        peers.served().onDispose().block(Waits.PATIENCE);

        assertThat(on(peers.clientResources(), HeartbeatTimer::watched)).isZero();
        assertThat(on(peers.serverResources(), HeartbeatTimer::watched)).isZero();
    }

    /** What blocks an engine until a gate opens, once that has begun. */
    private static void block(UcxResources resources, CountDownLatch gate) {
        CompletableFuture<Void> blocked = new CompletableFuture<>();
        new EngineExecutor(registry(resources).engine()).execute(() -> {
            blocked.complete(null);
            try {
                gate.await(2 * Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Waits.get(blocked);
    }

    @Test
    void peerWhoseEngineHangsIsLostAndLearnsOfIt() {
        connect(INTERVAL, INTERVAL);
        Inbox idle = Inbox.of(peers.client(), 20);
        PendingOperation receive = PendingOperation.of(peers.client().tags().receive(5, Bytes.zeroed(8)));
        Waits.engineOf(peers.client());
        CountDownLatch gate = new CountDownLatch(1);
        block(peers.serverResources(), gate);

        assertSilent(receive.failure());
        assertSilent(Waits.failure(idle.end()));
        peers.client().onDispose().block(Waits.PATIENCE);
        gate.countDown();

        peers.served().onDispose().block(Waits.PATIENCE);
        assertThat(registry(peers.clientResources()).peerStatistics().lostConnections()).containsEntry("heartbeat", 1L);
    }

    private static void assertSilent(Throwable error) {
        assertThat(error).isInstanceOfSatisfying(UcxException.class, lost -> {
            assertThat(lost.status()).isEqualTo(UcxStatus.ENDPOINT_TIMEOUT);
            assertThat(lost.isConnectionLost()).isTrue();
            assertThat(lost).hasMessageContaining("the heartbeat interval is " + INTERVAL.toMillis() + " ms");
        });
    }

    /** As after a pause of the whole process: what has come meanwhile is taken before anybody is given up. */
    @Test
    void pauseOfBothSidesCostsNothing() throws InterruptedException {
        connect(INTERVAL, INTERVAL);
        CountDownLatch gate = new CountDownLatch(1);
        block(peers.clientResources(), gate);
        block(peers.serverResources(), gate);
        // Nothing can be waited for: that time goes by is what the test is about.
        assertThat(new CountDownLatch(1).await(3 * INTERVAL.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
        gate.countDown();

        awaitLooks(INTERVAL.multipliedBy(3), peers.clientResources(), peers.serverResources());
        assertNothingMissed();
    }

    @Test
    void lookThatIsLateCountsAsTwoAtMost() {
        connect(INTERVAL, INTERVAL);
        HeartbeatTimer heartbeats = registry(peers.clientResources()).heartbeats();
        long period = INTERVAL.toNanos() / LOOKS_PER_INTERVAL;

        long counted = on(peers.clientResources(), ignored -> {
            long before = heartbeats.activeNanos();
            heartbeats.check(heartbeats.nanos() + 100 * INTERVAL.toNanos());
            return heartbeats.activeNanos() - before;
        });

        assertThat(counted).isEqualTo(2 * period);
        assertThat(peers.client().isDisposed()).isFalse();
    }

    /**
     * The bytes are on the way of the signs of life, and nothing else is said; all of them take longer than one of
     * them.
     */
    @Test
    void largeTransfersAreNoSilence() {
        Duration interval = Duration.ofMillis(1000);
        connect(interval, Duration.ZERO);
        long bytes = 64L << 20;
        MemorySegment from = Bytes.zeroed(bytes);
        MemorySegment to = Bytes.zeroed(bytes);
        peers.served().activeMessages().receive(3).flatMap(message -> message.fetch(to))
                .subscribe(done -> { }, error -> { });
        Waits.engineOf(peers.served());
        long before = on(peers.clientResources(), HeartbeatTimer::activeNanos);
        while (on(peers.clientResources(), HeartbeatTimer::activeNanos) - before
                < interval.multipliedBy(2).toNanos()) {
            peers.client().activeMessages().send(3, MemorySegment.NULL, from, AmProtocol.RENDEZVOUS)
                    .block(Waits.PATIENCE);
        }
        assertNothingMissed();
        assertThat(registry(peers.clientResources()).peerStatistics().lostConnections()).containsEntry("heartbeat", 0L);
    }

    /** Where the way of active messages is blocked, another one suffices. */
    @Test
    void signsOfLifeOnAnotherWayAreEnough() {
        connect(INTERVAL, INTERVAL);
        Heartbeat ofClient = core(peers.clientResources()).heartbeat();
        ConnectionCore server = core(peers.serverResources());
        byte[] ping = ControlFrame.of(ControlFrame.Type.PING).toBytes();
        AtomicInteger given = new AtomicInteger();
        ofClient.addPing(() -> {
            assertThat(server.socketReceived(ping)).isTrue();
            given.incrementAndGet();
        });
        // As if it had just said something, which waits behind a large message.
        Disposable silence = Flux.interval(Duration.ofMillis(10)).onBackpressureDrop()
                .concatMap(tick -> Mono.fromRunnable(ofClient::sent).subscribeOn(peers.client().scheduler()))
                .subscribe();

        awaitLooks(INTERVAL.multipliedBy(3), peers.serverResources());

        assertThat(given.get()).isPositive();
        assertThat(peers.served().isDisposed()).isFalse();
        assertThat(server.socketReceived(ControlFrame.of(ControlFrame.Type.FIN).toBytes())).isFalse();
        assertThat(server.socketReceived(new byte[3])).isFalse();
        silence.dispose();
    }

    private static ConnectionCore core(UcxResources resources) {
        return EngineCall.mono(registry(resources).engine(), worker -> registry(resources).connections()
                .getFirst())
                .block(Waits.PATIENCE);
    }

    /** So many commands wait for an engine that they take longer than a peer may be silent; none is a sign of life. */
    @Test
    void commandsThatWaitDoNotSilenceASide() {
        Duration interval = Duration.ofMillis(500);
        connect(interval, interval);
        EngineExecutor engine = new EngineExecutor(registry(peers.clientResources()).engine());
        long begun = System.nanoTime();
        CompletableFuture<Void> last = new CompletableFuture<>();
        for (int i = 0; i < 2000; i++) {
            engine.execute(() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1)));
        }
        engine.execute(() -> last.complete(null));

        Waits.get(last);

        assertThat(System.nanoTime() - begun).as("time of the commands").isGreaterThan(2 * interval.toNanos());
        assertNothingMissed();
        awaitLooks(interval, peers.serverResources());
        assertNothingMissed();
    }

    /** Whoever has as many operations under way as may be can still say that it lives, and that it leaves. */
    @Test
    void operationsThatTakeEverySlotDoNotSilenceASide() {
        connect(INTERVAL, INTERVAL, resources -> resources.engineConfig(EngineConfig.of("reactor-ucx-small")
                .withLimits(64, 4)));
        for (int i = 0; i < 4; i++) {
            PendingOperation.of(peers.client().tags().receive(100 + i, Bytes.zeroed(8)));
        }
        Waits.engineOf(peers.client());
        assertThat(PendingOperation.of(peers.client().tags().receive(200, Bytes.zeroed(8))).failure())
                .hasMessageContaining("NO_RESOURCE");

        awaitLooks(INTERVAL.multipliedBy(3), peers.serverResources());
        assertThat(peers.served().isDisposed()).isFalse();
        PendingOperation end = PendingOperation.of(peers.served().onDispose());
        peers.client().close().block(Waits.PATIENCE);
        end.assertDone();
    }
}
