package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
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
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Connections that do not come about: every attempt ends, says why, and leaves nothing behind. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class ConnectFailureTest implements NeedsUcx {

    private static final Duration SHORT = TestTime.millis(300);

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
        StepVerifier.create(connecting).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOfSatisfying(UcxException.class, ucx -> {
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
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("remoteAddress"))
                .verify(Waits.PATIENCE);
    }

    @Test
    void otherErrorModeIsRefused() {
        UcxBoundServer bound = server.handshakeTimeout(TestTime.seconds(3)).bindNow();

        StepVerifier.create(to(bound).peerFailureDetection(false).connectTimeout(TestTime.seconds(3)).connect())
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOfSatisfying(UcxException.class,
                        ucx -> assertThat(ucx.peer()).isEqualTo("127.0.0.1:" + bound.port())))
                .verify(Waits.PATIENCE);

        assertThat(to(bound).connectNow().peer()).as("the next one").isEqualTo("127.0.0.1:" + bound.port());
        bound.disposeNow();
    }

    @Test
    void otherProtocolVersionIsRefusedInWords() {
        UcxBoundServer bound = server.closeTimeout(SHORT).bindNow();
        try (SocketPeer later = SocketPeer.connect(bound.port())) {
            later.send(RawFrames.frame(ControlFrame.PROTOCOL_VERSION + 1, ControlFrame.Type.HELLO, ""));

            ControlFrame answer = later.nextControl();
            assertThat(answer.type()).isEqualTo(ControlFrame.Type.REJECT);
            assertThat(answer.reason()).isEqualTo("protocol version: " + (ControlFrame.PROTOCOL_VERSION + 1)
                    + " at the client, " + ControlFrame.PROTOCOL_VERSION + " at the server");
            later.awaitEnd();
        }
        await().atMost(Waits.PATIENCE).until(() -> serverResources.pendingHandshakes() == 0
                && serverResources.failedHandshakes() == 1);
        assertThat(accepted).isEmpty();
        bound.disposeNow();
    }

    @Test
    void rejectionSaysWhy() throws IOException {
        try (ServerSocket listening = SocketPeer.listen()) {
            PendingOperation attempt = PendingOperation.of(UcxClient.create(clientResources)
                    .remoteAddress("127.0.0.1", listening.getLocalPort()).connect());
            try (SocketPeer client = SocketPeer.accept(listening)) {
                assertThat(client.nextControl().type()).isEqualTo(ControlFrame.Type.HELLO);
                client.send(RawFrames.frame(ControlFrame.PROTOCOL_VERSION, ControlFrame.Type.REJECT, "not today"));

                assertThat(attempt.failure()).isInstanceOfSatisfying(UcxException.class, error -> {
                    assertThat(error.status()).isEqualTo(UcxStatus.REJECTED);
                    assertThat(error.peer()).isEqualTo("127.0.0.1:" + listening.getLocalPort());
                    assertThat(error).hasMessageContaining("not today");
                });
                client.awaitEnd();
            }
        }
    }

    /** What may answer at a port that is not a server's. */
    enum Stranger {
        ENDS_AT_ONCE, SPEAKS_HTTP, CLAIMS_A_HUGE_FRAME, SENDS_ITS_ADDRESS_FIRST, WELCOMES_AND_ENDS, WELCOMES_TWICE;

        void answer(SocketPeer client) {
            byte[] welcome = RawFrames.frame(ControlFrame.PROTOCOL_VERSION, ControlFrame.Type.WELCOME, "");
            switch (this) {
                case ENDS_AT_ONCE -> { }
                case SPEAKS_HTTP -> client.sendRaw("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(
                        StandardCharsets.US_ASCII));
                case CLAIMS_A_HUGE_FRAME -> client.sendRaw(new byte[] {127, -1, -1, -1, 0});
                case SENDS_ITS_ADDRESS_FIRST -> client.send(new BindFrame(BindFrame.Type.ADDRESS, 1, 0, new byte[9])
                        .toBytes());
                case WELCOMES_AND_ENDS -> client.send(welcome);
                case WELCOMES_TWICE -> {
                    client.send(welcome);
                    client.send(welcome);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Stranger.class)
    void strangerAtThePortIsAnError(Stranger stranger) throws IOException {
        try (ServerSocket listening = SocketPeer.listen()) {
            PendingOperation attempt = PendingOperation.of(UcxClient.create(clientResources)
                    .remoteAddress("127.0.0.1", listening.getLocalPort()).connect());
            try (SocketPeer client = SocketPeer.accept(listening)) {
                assertThat(client.nextControl().type()).isEqualTo(ControlFrame.Type.HELLO);
                stranger.answer(client);
                if (!stranger.name().endsWith("ENDS") && stranger != Stranger.ENDS_AT_ONCE) {
                    client.awaitEnd();
                }
            }
            assertThat(attempt.failure()).isInstanceOfSatisfying(UcxException.class, error -> {
                assertThat(error.isConnectionLost()).as(error.toString()).isTrue();
                assertThat(error.peer()).isEqualTo("127.0.0.1:" + listening.getLocalPort());
            });
        }
    }

    @Test
    void silentPeerIsGivenUpInTime() throws IOException {
        try (ServerSocket listening = SocketPeer.listen()) {
            int port = listening.getLocalPort();

            assertFails(UcxClient.create(clientResources).remoteAddress("127.0.0.1", port).connectTimeout(SHORT)
                    .connect(),
                    UcxStatus.TIMED_OUT, "127.0.0.1:" + port, SHORT.toString());

            try (SocketPeer client = SocketPeer.accept(listening)) {
                client.next();
                client.awaitEnd();
            }
        }
    }

    @Test
    void silentClientIsGivenUpInTime() {
        UcxBoundServer bound = server.handshakeTimeout(SHORT).bindNow();
        try (SocketPeer silent = SocketPeer.connect(bound.port())) {
            silent.awaitEnd();
        }
        await().atMost(Waits.PATIENCE).until(() -> serverResources.pendingHandshakes() == 0);
        assertThat(accepted).isEmpty();
        bound.disposeNow();
    }

    @Test
    void silentSocketsGiveWayToWhoSpeaks() {
        UcxBoundServer bound = server.maxPendingHandshakes(2).handshakeTimeout(Waits.PATIENCE).bindNow();
        List<SocketPeer> silent = Stream.generate(() -> SocketPeer.connect(bound.port())).limit(10).toList();

        UcxConnection connection = to(bound).connectNow();

        silent.subList(0, 8).forEach(SocketPeer::awaitEnd);
        connection.close().block(Waits.PATIENCE);
        silent.forEach(SocketPeer::close);
        await().atMost(Waits.PATIENCE).until(() -> serverResources.pendingHandshakes() == 0);
        assertThat(serverResources.failedHandshakes()).isEqualTo(10);
        bound.disposeNow();
    }

    @Test
    void cancelGivesTheAttemptUp() throws IOException {
        try (ServerSocket listening = SocketPeer.listen()) {
            Disposable attempt = UcxClient.create(clientResources).remoteAddress("127.0.0.1", listening.getLocalPort())
                    .connect()
                    .subscribe(connection -> {
                        throw new AssertionError("connected");
                    });
            try (SocketPeer client = SocketPeer.accept(listening)) {
                client.next();

                attempt.dispose();

                client.awaitEnd();
            }
        }
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

        assertThatThrownBy(() -> server.bindAddress("127.0.0.1", bound.port()).bindNow())
                .isInstanceOfSatisfying(UcxException.class,
                    error -> assertThat(error).hasMessageContaining("127.0.0.1")
                .hasMessageContaining(Integer.toString(bound.port())));
        bound.disposeNow();
    }

    /** Why the only handshake of these resources has failed, once it has. */
    private static String rejected(UcxResources resources) {
        return await().atMost(Waits.PATIENCE).until(() -> resources.connecting().connections().getFirst()
                .peerStatistics().rejectedHandshakes().entrySet().stream().filter(each -> each.getValue() == 1)
                .map(Map.Entry::getKey).collect(Collectors.joining()), reason -> !reason.isEmpty());
    }

    @Test
    void bothSidesLearnThatTheyHaveNoTransportInCommon() {
        String ours = route.transports()[0];
        String other = ours.equals("posix") ? "tcp" : "posix";
        for (boolean serverHasOurs : new boolean[] {true, false}) {
            UcxResources ofServer = UcxResources.builder().transports(serverHasOurs ? ours : other).build();
            UcxResources ofClient = UcxResources.builder().transports(serverHasOurs ? other : ours).build();
            UcxBoundServer bound = UcxServer.create(ofServer).handle(connection -> Mono.never()).bindNow();

            assertThatThrownBy(() -> UcxClient.create(ofClient).remoteAddress("127.0.0.1", bound.port()).connectNow())
                    .isInstanceOf(UcxException.class)
                    .hasMessageMatching(".*no transport in common: (this|the other) side has .*(posix|tcp)/.*")
                    .extracting(error -> ((UcxException) error).status())
                    .isIn(UcxStatus.UNREACHABLE, UcxStatus.REJECTED);
            assertThat(rejected(ofClient)).isNotEqualTo(rejected(ofServer)).isIn("mismatch", "peer");
            assertThat(rejected(ofServer)).isIn("mismatch", "peer");

            ResourceAssertions.in(ofClient);
            ResourceAssertions.in(ofServer);
        }
    }
}
