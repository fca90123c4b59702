package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.connection.ConnectionStatistics;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Connections are lent within limits, are worth having, and come back whatever becomes of who had them. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class PoolTest implements NeedsUcx {

    private static final int ID = RestartableServer.ID;

    private RestartableServer server;
    private UcxResources resources;
    private UcxConnectionPool pool;
    private boolean virtual;

    @BeforeEach
    void open() {
        assumeUcx();
        server = new RestartableServer(Route.POSIX_BY_SOCKET_ADDRESS);
        resources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
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

    private UcxConnectionPool pool(UnaryOperator<UcxConnectionPoolBuilder> settings) {
        UcxClient client = UcxClient.create(resources).heartbeatInterval(Duration.ZERO)
                .remoteAddress("127.0.0.1", server.port());
        pool = settings.apply(UcxConnectionPool.builder(client)).build();
        return pool;
    }

    private VirtualTimeScheduler virtualTime() {
        virtual = true;
        return VirtualTimeScheduler.getOrSet();
    }

    private PooledConnection acquire() {
        return pool.acquire().block(Waits.PATIENCE);
    }

    private static void release(PooledConnection taken) {
        taken.release().block(Waits.PATIENCE);
    }

    private void awaitCounts(int acquired, int idle, int pending) {
        await().atMost(Waits.PATIENCE).untilAsserted(() ->
                assertThat(List.of(pool.acquiredConnections(), pool.idleConnections(),
                pool.pendingAcquires())).as("acquired, idle, pending").containsExactly(acquired, idle, pending));
        ConnectionStatistics counters = resources.connectionStatistics();
        assertThat(List.of(counters.acquiredConnections(), counters.idleConnections(), counters.pendingAcquires()))
                .containsExactly(acquired, idle, pending);
    }

    private static Mono<Void> echo(UcxConnection connection) {
        return Mono.zip(connection.activeMessages().receive(ID).next(),
                connection.activeMessages().send(ID, new byte[1]).thenReturn(true))
                .then();
    }

    @Test
    void connectionIsLentAgain() {
        pool(builder -> builder.maxConnections(2));
        assertThat(server.accepted()).as("made when it is needed").isZero();
        PooledConnection first = acquire();
        awaitCounts(1, 0, 0);
        echo(first.connection()).block(Waits.PATIENCE);
        release(first);
        release(first);
        awaitCounts(0, 1, 0);

        PooledConnection second = acquire();

        assertThat(second.connection()).isSameAs(first.connection());
        first.release().then(first.invalidate()).block(Waits.PATIENCE);
        assertThat(second.connection().isDisposed()).as("who gave it back has no power over it").isFalse();
        awaitCounts(1, 0, 0);
        assertThat(pool.maxConnections()).isEqualTo(2);
        assertThat(resources.connectionStatistics().maxPooledConnections()).isEqualTo(2);
        release(second);
    }

    @Test
    void whoComesTooLateWaitsAndOneMoreIsRefused() {
        pool(builder -> builder.maxConnections(1).pendingAcquireMaxCount(1));
        PooledConnection only = acquire();
        CompletableFuture<PooledConnection> waiting = pool.acquire().toFuture();
        awaitCounts(1, 0, 1);

        assertThat(Waits.failure(pool.acquire().toFuture())).isInstanceOfSatisfying(UcxException.class, full -> {
            assertThat(full.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT);
            assertThat(full.isRetryable()).isTrue();
            assertThat(full).hasMessageContaining("pendingAcquireMaxCount 1");
        });
        release(only);

        release(Waits.get(waiting));
        awaitCounts(0, 1, 0);
        assertThat(server.accepted()).isEqualTo(1);
    }

    @Test
    void waitHasItsTime() {
        pool(builder -> builder.maxConnections(1).pendingAcquireTimeout(Duration.ofSeconds(3)));
        PooledConnection only = acquire();
        VirtualTimeScheduler time = virtualTime();
        CompletableFuture<PooledConnection> waiting = pool.acquire().toFuture();

        time.advanceTimeBy(Duration.ofMillis(2999));
        assertThat(waiting).isNotDone();
        time.advanceTimeBy(Duration.ofMillis(1));

        assertThat(Waits.failure(waiting)).isInstanceOfSatisfying(UcxException.class,
                late -> {
                    assertThat(late.status()).isEqualTo(UcxStatus.TIMED_OUT);
                    assertThat(late.isRetryable()).isTrue();
                })
                .hasMessageContaining("pendingAcquireTimeout PT3S");
        awaitCounts(1, 0, 0);
        release(only);
    }

    @Test
    void cancelOfAWaitLeavesNothing() {
        pool(builder -> builder.maxConnections(1));
        PooledConnection only = acquire();
        Disposable waiting = pool.acquire().subscribe();
        awaitCounts(1, 0, 1);

        waiting.dispose();

        awaitCounts(1, 0, 0);
        release(only);
        awaitCounts(0, 1, 0);
    }

    @Test
    void cancelWhileConnectingKeepsTheConnectionForTheNextOne() {
        pool(builder -> builder.maxConnections(1));

        pool.acquire().subscribe().dispose();

        awaitCounts(0, 1, 0);
        release(acquire());
        assertThat(server.accepted()).isEqualTo(1);
    }

    @Test
    void cancelThatMeetsTheConnectionOnItsWayLeavesNothing() {
        pool(builder -> builder.maxConnections(2).pendingAcquireMaxCount(10_000));
        Scheduler other = Schedulers.newSingle("canceller", true);
        try {
            Flux.range(0, 2000).flatMap(i -> Mono.<Void>create(sink -> {
                BaseSubscriber<PooledConnection> subscriber = new BaseSubscriber<>() {
                    @Override
                    protected void hookOnNext(PooledConnection taken) {
                        taken.release().subscribe();
                    }
                };
                other.schedule(() -> {
                    subscriber.cancel();
                    sink.success();
                }, i % 5 == 0 ? 1 : 0, TimeUnit.MILLISECONDS);
                pool.acquire().subscribe(subscriber);
            }), 16).blockLast(Waits.PATIENCE);
        } finally {
            other.dispose();
        }
        await().atMost(Waits.PATIENCE).until(() -> pool.acquiredConnections() == 0 && pool.pendingAcquires() == 0);
        assertThat(server.accepted()).isLessThanOrEqualTo(2);
        pool.disposeLater(Waits.PATIENCE).block(TestTime.seconds(10));
    }

    @Test
    void deadConnectionIsNotLent() {
        pool(builder -> builder.maxConnections(1));
        PooledConnection taken = acquire();
        UcxConnection dead = taken.connection();
        release(taken);
        server.loseAll();
        dead.onDispose().block(Waits.PATIENCE);

        PooledConnection next = acquire();

        assertThat(next.connection()).isNotSameAs(dead);
        echo(next.connection()).block(Waits.PATIENCE);
        server.loseAll();
        next.connection().onDispose().block(Waits.PATIENCE);
        release(next);
        awaitCounts(0, 0, 0);
    }

    @Test
    void invalidatedConnectionIsClosed() {
        pool(builder -> builder.maxConnections(1));
        PooledConnection taken = acquire();

        taken.invalidate().block(Waits.PATIENCE);

        assertThat(taken.connection().state()).isEqualTo(ConnectionState.CLOSED);
        taken.connection().onTerminate().block(Waits.PATIENCE);
        awaitCounts(0, 0, 0);
        PooledConnection next = acquire();
        assertThat(next.connection().isDisposed()).isFalse();
        release(next);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionHasItsTime(boolean idle) {
        VirtualTimeScheduler time = virtualTime();
        pool(builder -> idle ? builder.maxIdleTime(Duration.ofMinutes(5)) : builder.maxLifeTime(Duration.ofMinutes(5)));
        PooledConnection taken = acquire();
        time.advanceTimeBy(Duration.ofMinutes(4));
        release(taken);
        // The pool notes the time with the return, which may be a moment behind the end of release().
        awaitCounts(0, 1, 0);
        time.advanceTimeBy(Duration.ofSeconds(59));
        assertThat(pool.idleConnections()).isOne();

        time.advanceTimeBy(idle ? Duration.ofMinutes(5) : Duration.ofMinutes(1));

        awaitCounts(0, 0, 0);
        taken.connection().onTerminate().block(Waits.PATIENCE);
    }

    @Test
    void oldConnectionIsNotLentAlthoughNobodyLooksInTheBackground() {
        VirtualTimeScheduler time = virtualTime();
        pool(builder -> builder.maxLifeTime(Duration.ofMinutes(5)).evictInBackground(Duration.ZERO));
        PooledConnection taken = acquire();
        release(taken);
        time.advanceTimeBy(Duration.ofHours(1));
        awaitCounts(0, 1, 0);

        PooledConnection next = acquire();

        assertThat(next.connection()).isNotSameAs(taken.connection());
        taken.connection().onTerminate().block(Waits.PATIENCE);
        release(next);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void orderIsThatOfChoice(boolean lifo) {
        pool(builder -> lifo ? builder.lifo() : builder.fifo());
        PooledConnection first = acquire();
        PooledConnection second = acquire();
        release(first);
        release(second);

        PooledConnection next = acquire();

        assertThat(next.connection()).isSameAs((lifo ? second : first).connection());
        release(next);
    }

    @Test
    void warmUpMakesTheLeast() {
        pool(builder -> builder.minConnections(3).maxConnections(5));
        assertThat(pool.warmup().block(Waits.PATIENCE)).isEqualTo(3);
        awaitCounts(0, 3, 0);
        assertThat(pool.warmup().block(Waits.PATIENCE)).isZero();

        pool.disposeNow(Waits.PATIENCE);
        assertThat(Waits.failure(pool.warmup().toFuture())).isInstanceOf(UcxClosedException.class);
    }

    @Test
    void cancelledWarmUpLeavesNoGap() {
        pool(builder -> builder.minConnections(2).maxConnections(2));

        pool.warmup().subscribe().dispose();

        awaitCounts(0, 2, 0);
    }

    @Test
    void connectionComesBackHoweverItsUseEnds() {
        pool(builder -> builder.maxConnections(1));
        assertThat(pool.withConnection(connection -> Mono.just(connection.peer())).block(Waits.PATIENCE))
                .contains("127.0.0.1");
        awaitCounts(0, 1, 0);
        assertThat(pool.withConnectionMany(connection -> Flux.just(1, 2)).collectList().block(Waits.PATIENCE))
                .containsExactly(1, 2);
        awaitCounts(0, 1, 0);
        StepVerifier.create(pool.withConnection(connection -> Mono.error(new IllegalStateException("fails"))))
                .verifyErrorMessage("fails");
        awaitCounts(0, 1, 0);
        StepVerifier.create(pool.withConnectionMany(connection -> {
            throw new IllegalStateException("throws");
        })).verifyErrorMessage("throws");
        awaitCounts(0, 1, 0);
        Disposable endless = pool.withConnectionMany(connection -> Mono.never()).subscribe();
        awaitCounts(1, 0, 0);
        endless.dispose();
        awaitCounts(0, 1, 0);
    }

    @Test
    void failureToConnectIsToldAndForgotten() {
        pool(builder -> builder.maxConnections(1));
        server.stop();
        for (int i = 0; i < 3; i++) {
            assertThat(Waits.failure(pool.acquire().toFuture())).isInstanceOfSatisfying(UcxException.class,
                    error -> assertThat(error.operation()).isEqualTo("connect"));
        }
        awaitCounts(0, 0, 0);
        server.start();
        release(acquire());
    }

    @Test
    void disposalInGoodOrderWaitsForWhatIsLent() {
        pool(builder -> builder.maxConnections(1));
        PooledConnection taken = acquire();
        CompletableFuture<PooledConnection> waiting = pool.acquire().toFuture();

        CompletableFuture<Void> disposal = pool.disposeLater(Waits.PATIENCE).toFuture();

        assertThat(Waits.failure(pool.acquire().toFuture())).isInstanceOf(UcxClosedException.class);
        echo(taken.connection()).block(Waits.PATIENCE);
        assertThat(disposal).isNotDone();
        release(taken);
        PooledConnection last = Waits.get(waiting);
        echo(last.connection()).block(Waits.PATIENCE);
        assertThat(disposal).isNotDone();
        release(last);
        Waits.get(disposal);
        last.connection().onTerminate().block(Waits.PATIENCE);
        pool.onDispose().block(Waits.PATIENCE);
        assertThat(resources.connectionStatistics().maxPooledConnections()).as("no longer counted").isZero();
    }

    @Test
    void disposalDoesNotWaitLongerThanItShall() {
        VirtualTimeScheduler time = virtualTime();
        pool(builder -> builder.maxConnections(1));
        PooledConnection taken = acquire();
        CompletableFuture<PooledConnection> waiting = pool.acquire().toFuture();
        CompletableFuture<Void> disposal = pool.disposeLater(Duration.ofSeconds(30)).toFuture();
        time.advanceTimeBy(Duration.ofMillis(29_999));
        assertThat(taken.connection().isDisposed()).isFalse();

        time.advanceTimeBy(Duration.ofMillis(1));

        Waits.get(disposal);
        assertThat(Waits.failure(waiting)).isInstanceOf(UcxClosedException.class);
        assertThat(taken.connection().state()).isEqualTo(ConnectionState.CLOSED);
        release(taken);
    }

    @Test
    void disposalAtOnceEndsTheWaitOfOneInGoodOrder() {
        pool(builder -> builder.maxConnections(1));
        PooledConnection taken = acquire();
        CompletableFuture<Void> disposal = pool.disposeLater(Duration.ofHours(1)).toFuture();

        pool.disposeNow(Waits.PATIENCE);

        Waits.get(disposal);
        taken.connection().onTerminate().block(Waits.PATIENCE);
        assertThat(pool.isDisposed()).isTrue();
    }

    @Test
    void resourcesTakeThePoolWithThem() {
        pool(builder -> builder);
        PooledConnection taken = acquire();

        resources.disposeNow();

        assertThat(taken.connection().state()).isEqualTo(ConnectionState.CLOSED);
        pool.onDispose().block(Waits.PATIENCE);
        assertThat(Waits.failure(pool.acquire().toFuture())).isInstanceOf(UcxClosedException.class);
    }

    @Test
    void lostConnectionFailsItsUserAndNotTheNextOne() {
        pool(builder -> builder.maxConnections(1));
        PendingOperation waiting = PendingOperation.of(pool.withConnection(connection -> connection.tags()
                .sendSync(1, Bytes.zeroed(10))));
        await().atMost(Waits.PATIENCE).until(() -> server.accepted() == 1 && pool.acquiredConnections() == 1
                && resources.engines().getFirst().counters().inFlight() == 1);

        server.loseAll();

        assertThat(waiting.failure()).isInstanceOf(UcxException.class);
        pool.withConnection(PoolTest::echo).block(Waits.PATIENCE);
        pool.acquire().flatMap(taken -> taken.connection().close(CloseMode.FORCE).then(taken.release()))
                .block(Waits.PATIENCE);
        awaitCounts(0, 0, 0);
    }

    @Test
    void leastIsNotMoreThanMost() {
        assertThatThrownBy(() -> pool(builder -> builder.minConnections(3).maxConnections(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("minConnections 3: must be at most maxConnections, 2");
    }
}
