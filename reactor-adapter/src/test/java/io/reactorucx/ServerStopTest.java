package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.Callable;
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
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;
import reactor.util.retry.Retry;

/** How many connections a server takes, what it tells of them, and how it stops. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS", "TCP_BY_WORKER_ADDRESS"})
class ServerStopTest implements NeedsUcx {

    private static final int ID = 5;
    private static final Duration LONG = Duration.ofHours(1);

    @Parameter
    private Route route;
    private UcxResources serverResources;
    private UcxResources clientResources;
    private boolean virtual;

    @BeforeEach
    void open() {
        serverResources = route.resources().build();
        clientResources = route.resources().build();
    }

    @AfterEach
    void close() {
        if (virtual) {
            VirtualTimeScheduler.reset();
        }
        if (serverResources != null) {
            clientResources.disposeNow();
            serverResources.disposeNow();
            assertThat(clientResources.context().isClosed()).isTrue();
            assertThat(serverResources.context().isClosed()).isTrue();
        }
    }

    private UcxServer server(Function<UcxConnection, Publisher<Void>> handler) {
        // Time is virtual in some tests: a heartbeat would be late.
        return UcxServer.create(serverResources).acceptWorkerAddresses(true).heartbeatInterval(Duration.ZERO)
                .handle(handler);
    }

    private UcxClient client(UcxBoundServer server) {
        UcxClient client = UcxClient.create(clientResources).heartbeatInterval(Duration.ZERO);
        return route.byWorkerAddress() ? client.remoteWorkerAddress(serverResources.workerAddress(0)
                .block(Waits.PATIENCE))
                : client.remoteAddress("127.0.0.1", server.port());
    }

    private UcxConnection connect(UcxBoundServer server) {
        return client(server).connectNow();
    }

    private VirtualTimeScheduler virtualTime() {
        virtual = true;
        return VirtualTimeScheduler.getOrSet();
    }

    @Test
    void oneMoreThanTheServerTakesMayTryAgainLater() {
        UcxBoundServer server = server(connection -> Mono.never()).maxConnections(2)
                .maxConnectionsPerClient(2).bindNow();
        UcxConnection first = connect(server);
        UcxConnection second = connect(server);
        assertThat(serverResources.connectionStatistics().maxServerConnections()).isEqualTo(2);

        for (int i = 1; i <= 3; i++) {
            assertThat(Waits.failure(client(server).connect().toFuture()))
                    .isInstanceOfSatisfying(UcxException.class, full -> {
                        assertThat(full.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT);
                        assertThat(full.isRetryable()).isTrue();
                        assertThat(full).hasMessageContaining("maxConnections 2");
                    });
            assertThat(serverResources.connectionStatistics().rejectedConnections()).isEqualTo(i);
        }
        second.close().block(Waits.PATIENCE);

        UcxConnection third = client(server).connect().retryWhen(Retry.fixedDelay(1000, Duration.ofMillis(5))
                .filter(error -> error instanceof UcxException ucx && ucx.isRetryable())).block(Waits.PATIENCE);
        assertThat(first.state()).isEqualTo(ConnectionState.CONNECTED);
        assertThat(third.state()).isEqualTo(ConnectionState.CONNECTED);
        server.disposeNow();
        assertThat(serverResources.connectionStatistics().maxServerConnections()).isZero();
    }

    @Test
    void rawClientBeyondIsCutOff() {
        assumeFalse(route.byWorkerAddress(), "a server does not notice raw clients by worker address");
        UcxBoundServer server = UcxServer.create(serverResources).raw(true).maxConnections(1).bindNow();
        UcxConnection first = client(server).raw(true).connectNow();

        Throwable cut = Waits.failure(client(server).raw(true).connect().flatMap(UcxConnection::onTerminate)
                .toFuture());

        assertThat(cut).isInstanceOf(UcxException.class);
        assertThat(first.state()).isEqualTo(ConnectionState.CONNECTED);
        assertThat(serverResources.connectionStatistics().rejectedConnections()).isEqualTo(1);
        first.close().block(Waits.PATIENCE);
    }

    @Test
    void rawServerThatComesBackHasItsPortAtOnce() {
        assumeFalse(route.byWorkerAddress(), "there is no port to come back to");
        UcxServer unbound = UcxServer.create(serverResources).raw(true);
        UcxBoundServer server = unbound.bindNow();
        UcxConnection before = client(server).raw(true).connectNow();
        server.disposeNow();
        before.onDispose().block(Waits.PATIENCE);

        UcxBoundServer again = unbound.bindAddress("127.0.0.1", server.port()).bindNow();

        UcxConnection after = client(again).raw(true).connectNow();
        assertThat(after.state()).isEqualTo(ConnectionState.CONNECTED);
        after.close().block(Waits.PATIENCE);
    }

    @Test
    void hooksHearOfConnectionsInTheirOrder() {
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        UcxBoundServer server = server(connection -> {
            heard.add("handler");
            return connection.activeMessages().receive(ID).next()
                    .then(connection.activeMessages().send(ID, new byte[] {1})).then(Mono.never());
        }).doOnConnection(connection -> heard.add("first")).doOnConnection(connection -> heard.add("second")).bindNow();
        CompletableFuture<byte[]> greeting = new CompletableFuture<>();
        UcxClient client = client(server).doOnConnected(connection -> connection.activeMessages().receive(ID)
                .subscribe(message -> greeting.complete(Bytes.array(message.data()))))
                .doOnConnected(connection -> connection.activeMessages().send(ID, new byte[1]).subscribe())
                .doOnDisconnected(connection -> heard.add("gone in state " + connection.state()))
                .doOnDisconnected(connection -> {
                    heard.add("gone again");
                    throw new IllegalStateException("is only logged");
                });

        UcxConnection connection = client.connectNow();

        assertThat(Waits.get(greeting)).as("received by what the hook subscribed").containsExactly(1);
        assertThat(heard).containsExactly("first", "second", "handler");
        connection.close().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(heard)
                .containsExactly("first", "second", "handler",
                "gone in state CLOSED", "gone again"));
    }

    @Test
    void connectionOfAHookThatThrowsIsClosed() {
        UcxBoundServer server = server(connection -> Mono.never()).bindNow();

        assertThat(Waits.failure(client(server).doOnConnected(connection -> {
            throw new IllegalStateException("thrown by the hook");
        }).connect().toFuture())).hasMessage("thrown by the hook");

        await().atMost(Waits.PATIENCE).until(() -> clientResources.openConnections() == 0 && server.connections() == 0);
    }

    @Test
    void statesAndEndsTellGoodOrderFromLoss() {
        Queue<UcxConnection> accepted = new ConcurrentLinkedQueue<>();
        UcxBoundServer server = server(connection -> {
            accepted.add(connection);
            return Mono.never();
        }).bindNow();
        UcxConnection first = connect(server);
        UcxConnection second = connect(server);
        await().atMost(Waits.PATIENCE).until(() -> accepted.size() == 2);
        assertThat(first.state()).isEqualTo(ConnectionState.CONNECTED);

        first.close().block(Waits.PATIENCE);
        first.onTerminate().block(Waits.PATIENCE);
        assertThat(first.state()).isEqualTo(ConnectionState.CLOSED);
        UcxConnection ended = accepted.remove();
        ended.onTerminate().block(Waits.PATIENCE);
        assertThat(ended.state()).isEqualTo(ConnectionState.CLOSED);

        second.close(CloseMode.FORCE).block(Waits.PATIENCE);
        second.onTerminate().block(Waits.PATIENCE);
        UcxConnection lost = accepted.remove();
        assertThat(Waits.failure(lost.onTerminate().toFuture())).isInstanceOfSatisfying(UcxException.class,
                loss -> assertThat(loss.isConnectionLost()).isTrue());
        lost.onDispose().block(Waits.PATIENCE);
        lost.onClosing().block(Waits.PATIENCE);
    }

    @Test
    void handlersFinishWhatTheyAreInTheMidstOf() {
        Sinks.Empty<Void> slow = Sinks.empty();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        UcxBoundServer server = server(connection -> connection.activeMessages().receive(ID)
                .takeUntilOther(connection.onClosing())
                .doOnComplete(() -> asked.complete(null))
                .concatMap(message -> slow.asMono().then(connection.activeMessages()
                .send(ID, Bytes.array(message.data()))))
                .then()).bindNow();
        UcxConnection client = connect(server);
        Inbox inbox = Inbox.of(client, ID);
        client.activeMessages().send(ID, new byte[] {6}).then(client.flush()).block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> slow.currentSubscriberCount() == 1);

        CompletableFuture<Void> stopped = server.disposeLater(LONG, LONG).toFuture();
        Waits.get(asked);
        assertThat(server.isDisposed()).isTrue();
        assertThat(client.state()).isEqualTo(ConnectionState.CONNECTED);
        assertThat(Waits.failure(client(server).connect().toFuture())).isInstanceOf(UcxException.class);
        assertThat(stopped).isNotDone();
        slow.tryEmitEmpty();

        assertThat(Bytes.array(inbox.next().data())).containsExactly(6);
        Waits.get(inbox.end());
        client.onTerminate().block(Waits.PATIENCE);
        Waits.get(stopped);
        server.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void handlersThatDoNotEndHaveTheirTime() {
        VirtualTimeScheduler time = virtualTime();
        CompletableFuture<UcxConnection> accepted = new CompletableFuture<>();
        UcxBoundServer server = server(connection -> {
            accepted.complete(connection);
            return Mono.never();
        }).bindNow();
        UcxConnection client = connect(server);
        UcxConnection served = Waits.get(accepted);
        CompletableFuture<Void> stopped = server.disposeLater(Duration.ofSeconds(20), Duration.ofSeconds(60))
                .toFuture();
        Waits.engineOf(client);
        time.advanceTimeBy(Duration.ofMillis(19_000));
        assertThat(client.state()).isEqualTo(ConnectionState.CONNECTED);

        // No further: the close has its time, too.
        advanceUntil(time, Duration.ofMillis(1000), () -> served.state() != ConnectionState.CONNECTED);

        client.onTerminate().block(Waits.PATIENCE);
        advanceUntil(time, Duration.ofMillis(100), stopped::isDone);
        Waits.get(stopped);
    }

    /** The timers begin when the server's engine has come so far. */
    private static void advanceUntil(VirtualTimeScheduler time, Duration step, Callable<Boolean> done) {
        await().atMost(Waits.PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
            time.advanceTimeBy(step);
            return done.call();
        });
    }

    @Test
    void whatIsThereWhenTheTimeIsOverGoesByForce() {
        VirtualTimeScheduler time = virtualTime();
        CompletableFuture<PendingOperation> offered = new CompletableFuture<>();
        UcxBoundServer server = server(connection -> {
            connection.activeMessages().receive(ID).subscribe(message ->
                    offered.complete(PendingOperation.of(connection.activeMessages()
                    .send(ID, MemorySegment.NULL, Bytes.zeroed(100_000), AmProtocol.RENDEZVOUS))), lost -> { });
            return Mono.never();
        }).closeTimeout(LONG).bindNow();
        UcxConnection client = client(server).closeTimeout(LONG).connectNow();
        Inbox inbox = Inbox.of(client, ID);
        client.activeMessages().send(ID, new byte[1]).block(Waits.PATIENCE);
        // Is never fetched: the server cannot close in good order.
        inbox.next();
        PendingOperation open = Waits.get(offered);
        CompletableFuture<Void> stopped = server.disposeLater(Duration.ZERO, Duration.ofSeconds(30)).toFuture();
        Waits.engineOf(client);
        time.advanceTimeBy(Duration.ofMillis(29_999));
        assertThat(client.state()).isEqualTo(ConnectionState.CONNECTED);
        open.assertPending();

        time.advanceTimeBy(Duration.ofMillis(1));

        assertThat(open.failure()).isInstanceOf(UcxException.class);
        client.onDispose().block(Waits.PATIENCE);
        advanceUntil(time, Duration.ofMillis(100), stopped::isDone);
        assertThat(server.connections()).isZero();
    }

    @Test
    void closeEndsTheWaitForHandlers() {
        UcxBoundServer server = server(connection -> Mono.never()).bindNow();
        UcxConnection client = connect(server);
        CompletableFuture<Void> stopped = server.disposeLater(LONG, LONG).toFuture();

        server.disposeNow();

        Waits.get(stopped);
        client.onTerminate().block(Waits.PATIENCE);
    }

    @Test
    void serverWithoutAHandlerDoesNotWait() {
        UcxBoundServer server = UcxServer.create(serverResources).acceptWorkerAddresses(true).bindNow();
        UcxConnection client = connect(server);

        server.disposeLater(LONG, LONG).block(Waits.PATIENCE);

        client.onTerminate().block(Waits.PATIENCE);
    }
}
