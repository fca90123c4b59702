package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.concurrent.UncancelledMono;
import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.retry.Retry;

/** What is made for a subscriber that cancels while it gets it, and so drops it, gives itself back. */
@ExtendWith(NoLeaks.class)
class DroppedResourceTest implements NeedsUcx {

    private UcxResources resources;
    private RestartableServer server;
    private UcxClient client;

    @BeforeEach
    void open() {
        assumeUcx();
        UncancelledMono.installHook(); // which another test of this process may have reset
        server = new RestartableServer(Route.POSIX_BY_SOCKET_ADDRESS);
        resources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
        client = UcxClient.create(resources).remoteAddress("127.0.0.1", server.port());
    }

    @AfterEach
    void close() {
        if (resources != null) {
            resources.disposeNow();
            server.close();
        }
    }

    /** Subscribes, cancels between the emission of the value and its subscriber, and returns the value. */
    private static <T> T dropped(Mono<T> mono) {
        CountDownLatch subscribed = new CountDownLatch(1);
        CompletableFuture<T> emitted = new CompletableFuture<>();
        List<T> taken = new CopyOnWriteArrayList<>();
        Disposable.Swap subscription = Disposables.swap();
        subscription.update(mono.doOnNext(value -> {
            awaitLatch(subscribed);
            subscription.dispose();
            emitted.complete(value);
        }).subscribe(taken::add, emitted::completeExceptionally));
        subscribed.countDown();
        T value = Waits.get(emitted);
        assertThat(taken).isEmpty();
        return value;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitNoConnection() {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(resources.openConnections()).as("of the client").isZero();
            assertThat(server.server().connections()).as("of the server").isZero();
        });
    }

    @Test
    void aDroppedConnectionClosesItself() {
        UcxConnection connection = dropped(client.connect());

        connection.onDispose().block(Waits.PATIENCE);
        awaitNoConnection();
    }

    /** What another library makes of a connection. */
    private record Wrapped(UcxConnection connection) implements Disposable {

        @Override
        public void dispose() {
            connection.dispose();
        }
    }

    @Test
    void aDroppedWrapperOfAConnectionDisposesOfItself() {
        Wrapped wrapped = dropped(client.connect(Wrapped::new));

        wrapped.connection().onDispose().block(Waits.PATIENCE);
        awaitNoConnection();
    }

    @Test
    void aConnectionThatCannotBeWrappedCloses() {
        assertThatThrownBy(() -> client.<Wrapped>connect(connection -> {
            throw new IllegalStateException("planted");
        }).block(Waits.PATIENCE)).isInstanceOf(IllegalStateException.class).hasMessage("planted");

        awaitNoConnection();
    }

    @Test
    void aConnectionThatOneOfSeveralSubscribersDropsStays() {
        Mono<UcxConnection> shared = client.connect().cache();
        UcxConnection connection = dropped(shared);

        assertThat(shared.block(Waits.PATIENCE)).isSameAs(connection);
        Operators.onNextDropped(connection, Context.empty());
        connection.activeMessages().send(RestartableServer.ID, new byte[1]).block(Waits.PATIENCE);
        connection.disposeNow();
        awaitNoConnection();
    }

    @Test
    void aDroppedReconnectingConnectionClosesItself() {
        UcxReconnectingConnection connection = dropped(client.reconnect(Retry.indefinitely()).connect());

        connection.onDispose().block(Waits.PATIENCE);
        awaitNoConnection();
    }

    @Test
    void aDroppedConnectionOfAPoolReturnsToThePool() {
        UcxConnectionPool pool = UcxConnectionPool.builder(client).maxConnections(1).build();

        dropped(pool.acquire());

        await().atMost(Waits.PATIENCE).untilAsserted(() ->
                assertThat(List.of(pool.acquiredConnections(), pool.idleConnections())).containsExactly(0, 1));
        // It counts as given back.
        pool.disposeLater(Duration.ofHours(1)).block(Waits.PATIENCE);
    }

    @Test
    void aDroppedServerClosesItself() {
        UcxServer settings = UcxServer.create(resources).bindAddress("127.0.0.1", 0);

        UcxBoundServer bound = dropped(settings.bind().subscribeOn(Schedulers.boundedElastic()));

        bound.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void aServerWhoseBindIsCancelledOnTheWayIsClosed() {
        UcxServer settings = UcxServer.create(resources).acceptWorkerAddresses(true);
        for (int i = 0; i < 50; i++) {
            settings.bindAddress("127.0.0.1", 0).bind().subscribe(UcxBoundServer::dispose).dispose();
        }
        int port = server.port();
        server.close();

        // As long as a cancelled one listened there, the address would be in use.
        settings.bindAddress("127.0.0.1", port).bind().subscribe(UcxBoundServer::dispose).dispose();

        UcxBoundServer again = await().atMost(Waits.PATIENCE).ignoreExceptionsInstanceOf(UcxException.class)
                .until(() -> settings.bindAddress("127.0.0.1", port).bindNow(), bound -> true);
        again.disposeNow();
    }
}
