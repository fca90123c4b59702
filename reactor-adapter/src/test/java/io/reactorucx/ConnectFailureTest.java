package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Connections that do not come about: every attempt ends, says why, and leaves nothing behind. */
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class ConnectFailureTest implements NeedsUcx {

    private static final Duration SHORT = Duration.ofMillis(300);

    @Parameter
    private Route route;
    private UcxResources serverResources;
    private UcxResources clientResources;
    private UcxServer server;
    private final BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();

    @BeforeEach
    void open() {
        serverResources = route.resources().build();
        clientResources = route.resources().build();
        server = UcxServer.create(serverResources).handle(connection -> {
            accepted.add(connection);
            return Mono.never();
        });
    }

    @AfterEach
    void nothingIsLeft() {
        if (serverResources == null) {
            return;
        }
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(clientResources.openConnections()).as("client's connections").isZero();
            assertThat(serverResources.openConnections()).as("server's connections").isZero();
        });
        clientResources.disposeNow();
        serverResources.disposeNow();
        assertThat(clientResources.context().isClosed()).isTrue();
        assertThat(serverResources.context().isClosed()).isTrue();
    }

    private UcxClient to(UcxBoundServer bound) {
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", bound.port());
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void assertFails(Mono<?> connecting, UcxStatus status, String... parts) {
        StepVerifier.create(connecting).expectErrorSatisfies(error -> assertThat(error).isInstanceOfSatisfying(UcxException.class, ucx -> {
            assertThat(ucx.status()).isEqualTo(status);
            assertThat(ucx.operation()).isEqualTo("connect");
            assertThat(ucx.getMessage()).contains(parts);
        })).verify(Waits.PATIENCE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closedPortIsNamed(boolean raw) throws IOException {
        int port = closedPort();
        String peer = "127.0.0.1:" + port;

        StepVerifier.create(UcxClient.create(clientResources).raw(raw).remoteAddress("127.0.0.1", port).connect())
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOfSatisfying(UcxException.class, ucx -> {
                    assertThat(ucx.peer()).isEqualTo(peer);
                    assertThat(ucx.status()).isEqualTo(UcxStatus.NOT_CONNECTED);
                    assertThat(ucx.isConnectionLost()).isTrue();
                    assertThat(ucx).hasMessageContaining(peer);
                })).verify(Waits.PATIENCE);
    }

    @Test
    void clientWithoutAddressIsTold() {
        StepVerifier.create(UcxClient.create(clientResources).connect()).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("remoteAddress")).verify(Waits.PATIENCE);
    }

    @Test
    void otherErrorModeIsRefused() {
        UcxBoundServer bound = server.handshakeTimeout(SHORT).bindNow();

        StepVerifier.create(to(bound).peerFailureDetection(false).connectTimeout(Duration.ofSeconds(3)).connect())
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOfSatisfying(UcxException.class,
                        ucx -> assertThat(ucx.peer()).isEqualTo("127.0.0.1:" + bound.port())))
                .verify(Waits.PATIENCE);

        assertThat(to(bound).connectNow().peer()).as("the next one").isEqualTo("127.0.0.1:" + bound.port());
        bound.disposeNow();
    }

    @Test
    void otherProtocolVersionIsRefusedInWords() {
        UcxBoundServer bound = server.closeTimeout(SHORT).bindNow();
        UcxConnection raw = to(bound).raw(true).connectNow();
        BlockingQueue<ControlFrame> answers = RawFrames.listen(clientResources);

        RawFrames.send(clientResources, RawFrames.frame(ControlFrame.PROTOCOL_VERSION + 1, ControlFrame.Type.HELLO, ""), true);

        ControlFrame answer = RawFrames.next(answers);
        assertThat(answer.type()).isEqualTo(ControlFrame.Type.REJECT);
        assertThat(answer.reason()).isEqualTo("protocol version: 3 at the client, 2 at the server");
        // Rejected, so closed by the server when its time for that is over.
        raw.onDispose().block(Waits.PATIENCE);
        assertThat(accepted).isEmpty();
        bound.disposeNow();
    }

    @Test
    void rejectionSaysWhy() {
        UcxBoundServer bound = server.raw(true).bindNow();
        RawFrames.listen(serverResources);
        Mono<UcxConnection> connecting = to(bound).connect();
        Sent attempt = Sent.of(connecting);
        UcxConnection served = nextAccepted();

        RawFrames.send(serverResources, RawFrames.frame(ControlFrame.PROTOCOL_VERSION, ControlFrame.Type.REJECT, "not today"), true);

        assertThat(attempt.failure()).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).isEqualTo(UcxStatus.REJECTED);
            assertThat(error.peer()).isEqualTo("127.0.0.1:" + bound.port());
            assertThat(error).hasMessageContaining("not today");
        });
        served.onDispose().block(Waits.PATIENCE);
        bound.disposeNow();
    }

    private UcxConnection nextAccepted() {
        return await().atMost(Waits.PATIENCE).until(accepted::poll, connection -> connection != null);
    }

    @Test
    void silentPeerIsGivenUpInTime() {
        UcxBoundServer bound = server.raw(true).bindNow();

        assertFails(to(bound).connectTimeout(SHORT).connect(), UcxStatus.TIMED_OUT, "127.0.0.1:" + bound.port(), SHORT.toString());

        nextAccepted().onDispose().block(Waits.PATIENCE);
        bound.disposeNow();
    }

    @Test
    void silentClientIsGivenUpInTime() {
        UcxBoundServer bound = server.handshakeTimeout(SHORT).bindNow();
        UcxConnection silent = to(bound).raw(true).connectNow();

        silent.onDispose().block(Waits.PATIENCE);

        assertThat(accepted).isEmpty();
        bound.disposeNow();
    }

    @Test
    void cancelGivesTheAttemptUp() {
        UcxBoundServer bound = server.raw(true).bindNow();
        Disposable attempt = to(bound).connect().subscribe(connection -> {
            throw new AssertionError("connected");
        });
        UcxConnection served = nextAccepted();
        assertThat(clientResources.openConnections()).isEqualTo(1);

        attempt.dispose();

        served.onDispose().block(Waits.PATIENCE);
        bound.disposeNow();
    }

    @Test
    void cancelAtOnceLeavesNothing() {
        UcxBoundServer bound = server.bindNow();
        for (int i = 0; i < 20; i++) {
            to(bound).connect().subscribe().dispose();
        }
        await().atMost(Waits.PATIENCE).until(() -> clientResources.openConnections() == 0 && bound.connections() == 0);
        UcxConnection works = to(bound).connectNow();
        works.close().block(Waits.PATIENCE);
        bound.disposeNow();
    }

    @Test
    void addressInUseIsNamed() {
        UcxBoundServer bound = server.bindNow();

        assertThatThrownBy(() -> server.bindAddress("127.0.0.1", bound.port()).bindNow()).isInstanceOfSatisfying(UcxException.class,
                error -> assertThat(error).hasMessageContaining("127.0.0.1").hasMessageContaining(Integer.toString(bound.port())));
        bound.disposeNow();
    }
}
