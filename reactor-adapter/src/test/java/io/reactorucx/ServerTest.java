package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.command.EngineExecutor;
import io.reactorucx.transport.connection.EngineConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What a server does with its handler, its connections and its engines. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS", "TCP_BY_WORKER_ADDRESS"})
class ServerTest implements NeedsUcx {

    private static final int ID = 5;

    @Parameter
    private Route route;
    private UcxResources serverResources;
    private UcxResources clientResources;

    @BeforeEach
    void open() {
        serverResources = route.resources().engines(2).build();
        clientResources = route.resources().build();
    }

    @AfterEach
    void close() {
        if (serverResources == null) {
            return;
        }
        clientResources.disposeNow();
        serverResources.disposeNow();
        assertThat(clientResources.context().isClosed()).isTrue();
        assertThat(serverResources.context().isClosed()).isTrue();
    }

    private UcxBoundServer bind(Function<UcxConnection, Publisher<Void>> handler) {
        return UcxServer.create(serverResources).acceptWorkerAddresses(true).handle(handler).bindNow();
    }

    private Mono<UcxConnection> connect(UcxBoundServer server, int engine) {
        UcxClient client = UcxClient.create(clientResources).connectTimeout(Duration.ofSeconds(5));
        return route.byWorkerAddress()
                ? serverResources.workerAddress(engine).flatMap(address -> client.remoteWorkerAddress(address)
                .connect())
                : client.remoteAddress("127.0.0.1", server.port()).connect();
    }

    private UcxConnection connectNow(UcxBoundServer server, int engine) {
        return connect(server, engine).block(Waits.PATIENCE);
    }

    @Test
    void serverShowsItsAddressItsConnectionsAndItsState() {
        UcxBoundServer server = bind(UcxConnection::onClosing);
        String address = "127.0.0.1:" + server.port();
        assertThat(server).hasToString("UcxBoundServer[" + address + ", listening, connections=0]");

        UcxConnection client = connectNow(server, 0);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(server)
                .hasToString("UcxBoundServer[" + address + ", listening, connections=1]"));
        client.disposeNow();

        server.disposeNow();
        assertThat(server).hasToString("UcxBoundServer[" + address + ", closed, connections=0]");
    }

    @Test
    void configurationsShowTheirAddresses() {
        assertThat(UcxClient.create(clientResources)).hasToString("UcxClient[no address]");
        assertThat(UcxClient.create(clientResources).remoteAddress("fd00::7", 80))
                .hasToString("UcxClient[[fd00::7]:80]");
        assertThat(UcxServer.create(serverResources).bindAddress("127.0.0.1", 80))
                .hasToString("UcxServer[127.0.0.1:80]");
        assertThat(serverResources.toString()).startsWith("UcxResources[").endsWith(", engines=2, connections=0]");
    }

    /** How a handler may end before the client hears that it is connected. */
    enum QuickEnd {
        THROWS, FAILS, COMPLETES, GIVES_NULL;

        Publisher<Void> run() {
            return switch (this) {
                case THROWS -> throw new IllegalArgumentException("this handler throws");
                case FAILS -> Mono.error(new IllegalArgumentException("this handler fails"));
                case COMPLETES -> Mono.empty();
                case GIVES_NULL -> null;
            };
        }
    }

    @ParameterizedTest
    @EnumSource(QuickEnd.class)
    void connectionIsClosedInGoodOrderWhenItsHandlerEndsAtOnce(QuickEnd end) {
        UcxBoundServer server = bind(connection -> end.run());

        for (int i = 0; i < 3; i++) {
            UcxConnection client = connectNow(server, 0);
            CompletableFuture<Void> received = new CompletableFuture<>();
            client.activeMessages().receive(ID).subscribe(message -> { },
                    received::completeExceptionally, () -> received.complete(null));
            client.onDispose().block(Waits.PATIENCE);
            await().atMost(Waits.PATIENCE).until(received::isDone);
        }
        await().atMost(Waits.PATIENCE).until(() -> server.connections() == 0 && clientResources.openConnections() == 0);
        server.disposeNow();
    }

    @Test
    void connectionIsClosedInGoodOrderWhenItsHandlerEndsLater() {
        UcxBoundServer server = bind(connection -> connection.activeMessages().receive(ID).take(2).then());
        UcxConnection client = connectNow(server, 0);
        Inbox inbox = Inbox.of(client, ID);

        client.activeMessages().send(ID, new byte[1]).block(Waits.PATIENCE);
        client.flush().block(Waits.PATIENCE);
        assertThat(client.isDisposed()).isFalse();
        client.activeMessages().send(ID, new byte[1]).block(Waits.PATIENCE);

        client.onDispose().block(Waits.PATIENCE);
        Waits.get(inbox.end());
        server.disposeNow();
    }

    @Test
    void peerOfAForcedCloseHearsOfALossAlthoughTheHandlerEndsWithIt() {
        CompletableFuture<UcxConnection> accepted = new CompletableFuture<>();
        UcxBoundServer server = bind(connection -> {
            accepted.complete(connection);
            return connection.activeMessages().receive(ID).then();
        });
        UcxConnection client = connectNow(server, 0);
        CompletableFuture<Void> end = client.onTerminate().toFuture();
        UcxConnection served = Waits.get(accepted);
        Waits.engineOf(served);

        served.close(CloseMode.FORCE).block(Waits.PATIENCE);

        assertThat(Waits.failure(end)).isInstanceOf(UcxException.class);
        server.disposeNow();
    }

    @Test
    void handlerEndsWithTheConnection() {
        CompletableFuture<String> cancelled = new CompletableFuture<>();
        UcxBoundServer server = bind(connection -> Mono.<Void>never()
                .doOnCancel(() -> cancelled.complete("cancelled")));

        connectNow(server, 0).close().block(Waits.PATIENCE);

        assertThat(Waits.get(cancelled)).isEqualTo("cancelled");
        server.disposeNow();
    }

    @Test
    void whatTheHandlerSubscribesMissesNothing() {
        UcxBoundServer server = bind(connection -> connection.activeMessages().receive(ID)
                .concatMap(message -> connection.activeMessages().send(ID, Bytes.array(message.data()))).then());
        for (int i = 0; i < 20; i++) {
            UcxConnection client = connectNow(server, 0);
            CompletableFuture<ActiveMessage> answer = client.activeMessages().receive(ID).next().toFuture();
            client.activeMessages().send(ID, new byte[] {(byte) i}).block(Waits.PATIENCE);
            assertThat(Bytes.array(Waits.get(answer).data())).containsExactly(i);
            client.close().block(Waits.PATIENCE);
        }
        server.disposeNow();
    }

    @Test
    void disposalClosesConnectionsInGoodOrder() {
        UcxBoundServer server = bind(connection -> Mono.never());
        List<UcxConnection> clients = new ArrayList<>();
        List<Inbox> inboxes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(connectNow(server, i % 2));
            inboxes.add(Inbox.of(clients.getLast(), ID));
        }
        assertThat(server.connections()).isEqualTo(3);
        assertThat(server.isDisposed()).isFalse();

        server.disposeNow();
        server.disposeNow();

        assertThat(server.isDisposed()).isTrue();
        server.onDispose().block(Waits.PATIENCE);
        assertThat(server.connections()).isZero();
        clients.forEach(client -> client.onDispose().block(Waits.PATIENCE));
        inboxes.forEach(inbox -> Waits.get(inbox.end()));
    }

    @Test
    void portIsFreeAfterDisposal() {
        UcxBoundServer server = bind(connection -> Mono.never());
        connectNow(server, 0);
        server.disposeNow();

        UcxBoundServer next = UcxServer.create(serverResources).acceptWorkerAddresses(true).bindAddress("127.0.0.1", 0)
                .bindNow();
        assertThat(next.address().getAddress().isLoopbackAddress()).isTrue();
        UcxConnection client = connectNow(next, 0);
        assertThat(next.connections()).isEqualTo(1);
        client.close().block(Waits.PATIENCE);
        next.disposeNow();
    }

    @Test
    void connectionsSpreadOverTheEngines() {
        Map<String, Integer> byEngine = new HashMap<>();
        UcxBoundServer server = bind(connection -> {
            synchronized (byEngine) {
                byEngine.merge(Thread.currentThread().getName(), 1, Integer::sum);
            }
            return connection.activeMessages().receive(ID)
                    .concatMap(message -> connection.activeMessages().send(ID, Bytes.array(message.data()))).then();
        });
        List<UcxConnection> clients = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            clients.add(connectNow(server, i % 2));
        }

        for (int i = 0; i < 8; i++) {
            CompletableFuture<ActiveMessage> answer = clients.get(i).activeMessages().receive(ID).next().toFuture();
            clients.get(i).activeMessages().send(ID, new byte[] {(byte) i}).block(Waits.PATIENCE);
            assertThat(Bytes.array(Waits.get(answer).data())).containsExactly(i);
        }
        synchronized (byEngine) {
            assertThat(byEngine).hasSize(2).allSatisfy((engine, count) -> assertThat(count).isEqualTo(4));
        }
        assertThat(serverResources.openConnections()).isEqualTo(8);
        server.disposeNow();
        await().atMost(Waits.PATIENCE).until(() -> clientResources.openConnections() == 0);
    }

    @Test
    void disposalOfResourcesClosesTheServerAndItsConnections() {
        UcxBoundServer server = bind(connection -> Mono.never());
        UcxConnection client = connectNow(server, 0);
        Inbox inbox = Inbox.of(client, ID);

        serverResources.disposeNow();

        client.onDispose().block(Waits.PATIENCE);
        Waits.get(inbox.end());
        assertThat(serverResources.isDisposed()).isTrue();
        serverResources.onDispose().block(Waits.PATIENCE);
        server.disposeNow();
    }

    @Test
    void disposalGoesOnAlthoughTheQueuesOfTheEnginesAreFull() throws InterruptedException {
        UcxBoundServer server = bind(connection -> Mono.never());
        UcxConnection client = connectNow(server, 0);
        CountDownLatch gate = new CountDownLatch(1);
        for (EngineConnections registry : serverResources.connecting().connections()) {
            fill(new EngineExecutor(registry.engine()), gate);
        }

        CompletableFuture<Void> closed = server.close().toFuture();
        gate.countDown();
        Waits.get(closed);

        client.onDispose().block(Waits.PATIENCE);
        assertThat(server.connections()).isZero();
        StepVerifier.create(UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port()).connect())
                .expectError(UcxException.class).verify(Waits.PATIENCE);
    }

    /** Keeps an engine busy until the gate opens, and its queue full until then. */
    private static void fill(EngineExecutor engine, CountDownLatch gate) throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        engine.execute(() -> {
            blocked.countDown();
            try {
                gate.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(blocked.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        boolean full = false;
        while (!full) {
            try {
                engine.execute(() -> { });
            } catch (RejectedExecutionException e) {
                full = true;
            }
        }
    }
}
