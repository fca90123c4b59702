package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.socket.SocketEventLoop;
import io.reactorucx.transport.socket.SocketFaults;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** A socket thread or a listener that fails ends its servers with an error, and the resources can bind another one. */
@ExtendWith(NoLeaks.class)
class SocketFailureTest implements NeedsUcx {

    private UcxResources resources;
    private UcxResources clientResources;

    @BeforeEach
    void open() {
        resources = UcxResources.builder().transports("tcp").build();
        clientResources = UcxResources.builder().transports("tcp").build();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            clientResources.disposeNow();
            resources.disposeNow();
            assertThat(resources.context().isClosed()).isTrue();
        }
    }

    private UcxBoundServer bind(int port) {
        return UcxServer.create(resources).bindAddress("127.0.0.1", port)
                .handle(connection -> Mono.never()).bindNow();
    }

    private UcxConnection connect(UcxBoundServer server) {
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port()).connectNow();
    }

    @Test
    void errorOfATaskCostsThatTaskOnly() {
        UcxBoundServer server = bind(0);
        SocketEventLoop loop = resources.connecting().sockets();

        loop.execute(() -> {
            throw new OutOfMemoryError("planted by a test");
        });
        loop.execute(() -> {
            throw new AssertionError("planted by a test");
        });

        assertThat(connect(server).isDisposed()).isFalse();
        assertThat(server.isDisposed()).isFalse();
        assertThat(resources.connecting().sockets()).isSameAs(loop);
    }

    @Test
    void failedThreadEndsItsServerWithTheErrorAndItsHandshakes() {
        UcxBoundServer server = bind(0);
        CompletableFuture<Void> ended = server.onDispose().toFuture();
        UcxConnection connection = connect(server);
        CompletableFuture<Void> lost = connection.onDispose().toFuture();
        try (SocketPeer pending = SocketPeer.connect(server.port())) {
            await().atMost(Waits.PATIENCE).until(() -> resources.pendingHandshakes() == 1);

            SocketFaults.breakSelector(resources.connecting().sockets());

            assertThat(Waits.failure(ended)).isInstanceOf(UcxException.class)
                    .hasMessageContaining("the thread for sockets has failed");
            pending.awaitEnd();
        }
        Waits.get(lost);
        assertThat(server.isDisposed()).isTrue();
        assertThat(resources.pendingHandshakes()).isZero();
        server.close().block(Waits.PATIENCE);

        // The same port: the listening socket of the server that has failed is closed.
        UcxBoundServer next = bind(server.port());
        assertThat(connect(next).isDisposed()).isFalse();
        assertThat(next.isDisposed()).isFalse();
    }

    @Test
    void failedThreadFailsWhoConnectsAndTheNextAttemptSucceeds() throws IOException {
        UcxBoundServer server = bind(0);
        try (ServerSocket silent = SocketPeer.listen()) {
            CompletableFuture<UcxConnection> connecting = UcxClient.create(clientResources)
                    .remoteAddress("127.0.0.1", silent.getLocalPort()).connect().toFuture();
            try (SocketPeer accepted = SocketPeer.accept(silent)) {
                accepted.next();

                SocketFaults.breakSelector(clientResources.connecting().sockets());

                assertThat(Waits.failure(connecting)).isInstanceOf(UcxException.class)
                        .hasMessageContaining("the thread for sockets has failed");
            }
        }
        assertThat(connect(server).isDisposed()).isFalse();
    }

    @Test
    void failedListenerEndsItsServerWithTheErrorAndItsConnections() {
        UcxBoundServer server = bind(0);
        UcxConnection connection = connect(server);
        CompletableFuture<Void> ended = server.onDispose().toFuture();
        CompletableFuture<Void> closed = connection.onDispose().toFuture();

        SocketFaults.failListeners(resources.connecting().sockets(), new IOException("planted by a test"));

        assertThat(Waits.failure(ended)).isInstanceOf(UcxException.class)
                .hasMessageContaining("planted by a test").hasMessageContaining(String.valueOf(server.port()));
        Waits.get(closed);
        UcxBoundServer next = bind(server.port());
        assertThat(connect(next).isDisposed()).isFalse();
    }

    @Test
    void orderlyEndOfTheResourcesIsNoFailureOfTheServer() {
        CompletableFuture<Void> ended = bind(0).onDispose().toFuture();

        resources.disposeNow();

        Waits.get(ended);
    }
}
