package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.command.EngineExecutor;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** A raw peer that lives and does nothing, or does it too late. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class HungPeerTest implements NeedsUcx {

    private static final Duration SHORT = Duration.ofMillis(300);

    @Parameter
    private Route route;
    private final CountDownLatch gate = new CountDownLatch(1);
    private UcxResources serverResources;
    private UcxResources clientResources;

    @BeforeEach
    void open() {
        serverResources = route.resources().build();
        clientResources = route.resources().build();
    }

    @AfterEach
    void nothingIsLeft() {
        gate.countDown();
        if (serverResources == null) {
            return;
        }
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(clientResources.openConnections()).as("client's connections").isZero();
            assertThat(clientResources.buffers().leases()).as("leases").isZero();
        });
        clientResources.disposeNow();
        serverResources.disposeNow();
        assertThat(clientResources.context().isClosed()).isTrue();
        assertThat(serverResources.context().isClosed()).isTrue();
    }

    private UcxBoundServer bind(boolean peerFailureDetection) {
        return UcxServer.create(serverResources).raw(true).peerFailureDetection(peerFailureDetection)
                .closeTimeout(SHORT)
                .handle(connection -> Mono.never()).bindNow();
    }

    private UcxClient to(UcxBoundServer server) {
        return UcxClient.create(clientResources).raw(true).closeTimeout(SHORT)
                .remoteAddress("127.0.0.1", server.port());
    }

    /** The server's engine does nothing until the gate opens. */
    private void hang() {
        CompletableFuture<Void> hanging = new CompletableFuture<>();
        new EngineExecutor(serverResources.connecting().connections().getFirst().engine()).execute(() -> {
            hanging.complete(null);
            try {
                gate.await(3 * Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Waits.get(hanging);
    }

    @Test
    void closeEndsInItsTimeWithAReceiveOfTheStreamUnderWay() {
        UcxConnection client = to(bind(true)).connectNow();
        PendingOperation stream = PendingOperation.of(client.streams().receive().then());
        Waits.engineOf(client);
        hang();

        client.close().block(Waits.PATIENCE);

        stream.assertDone();
    }

    @Test
    void attemptWithoutFailureDetectionIsGoneWhenThePeerAnswersLate() {
        UcxBoundServer server = bind(false);
        hang();

        assertThatThrownBy(() -> to(server).peerFailureDetection(false).connectTimeout(SHORT).connectNow())
                .isInstanceOf(UcxException.class);
        // Given up, and out of the time after that as well.
        await().atMost(Waits.PATIENCE).until(() -> connection().phase().isClosing());
        gate.countDown();

        await().atMost(Waits.PATIENCE).until(() -> clientResources.openConnections() == 0);
    }

    private ConnectionCore connection() {
        EngineConnections registry = clientResources.connecting().connections().getFirst();
        return EngineCall.mono(registry.engine(), worker -> registry.connections().getFirst())
                .block(Waits.PATIENCE);
    }
}
