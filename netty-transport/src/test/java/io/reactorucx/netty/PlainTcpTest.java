package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.netty.io.SocketFrame;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** Peers that know nothing of UCX, beside those that do. */
@Tag("slow")
@ExtendWith(BufferLeaks.class)
class PlainTcpTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final String HOST = "127.0.0.1";
    private static final int BODY_BYTES = 4 << 20;
    private static final int STRANGERS = 200;

    private UcxLoopResources loops;
    private UcxLoopResources clientLoops;
    private ConnectionProvider pool;
    private DisposableServer server;

    @BeforeEach
    void start() {
        loops = UcxLoopResources.create("server", 1, UcxNettyConfig.DEFAULT
                .withPlainTcp(UcxPlainTcpConfig.DEFAULT.withAccepted(true).withDecisionTime(TestTime.millis(500))));
        clientLoops = UcxLoopResources.create("client", 1, UcxNettyConfig.DEFAULT);
        pool = ConnectionProvider.create("pool", 10);
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.disposeNow(LIMIT);
        }
        pool.disposeLater().block(LIMIT);
        awaitNothingLeft(loops);
        awaitNothingLeft(clientLoops);
        clientLoops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
    }

    private static void awaitNothingLeft(UcxLoopResources loops) {
        TestLoops.awaitNoChannels(loops.factory());
        await().atMost(LIMIT).untilAsserted(() -> assertThat(plain(loops)).isZero());
    }

    private static long plain(UcxLoopResources loops) {
        return TestLoops.sum(loops.factory(), UcxLoopStatistics::plainChannels);
    }

    private static long received(UcxLoopResources loops) {
        return TestLoops.sum(loops.factory(), UcxLoopStatistics::receivedBytes);
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(HOST, server.port());
        socket.setSoTimeout((int) LIMIT.toMillis());
        return socket;
    }

    private static String read(Socket socket, int bytes) throws IOException {
        return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.ISO_8859_1);
    }

    private void startEcho() {
        server = TcpServer.create().host(HOST).port(0).runOn(loops)
                .handle((in, out) -> out.send(in.receive().retain())).bindNow(LIMIT);
    }

    @Test
    void oneServerAnswersPlainClientsAndThoseOfUcx() throws IOException {
        server = HttpServer.create().host(HOST).port(0).runOn(loops)
                .route(routes -> routes.get("/", (request, response) -> response.sendString(Mono.just("Hello"))))
                .bindNow(LIMIT);
        byte[] request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

        try (Socket socket = connect()) {
            for (int i = 0; i < 3; i++) {
                socket.getOutputStream().write(request);
                StringBuilder answer = new StringBuilder();
                while (!answer.toString().endsWith("0\r\n\r\n") && !answer.toString().endsWith("Hello")) {
                    int next = socket.getInputStream().read();
                    assertThat(next).as("after: %s", answer).isNotNegative();
                    answer.append((char) next);
                }
                assertThat(answer).startsWith("HTTP/1.1 200").contains("Hello");
            }
            assertThat(plain(loops)).isEqualTo(1);
            assertThat(received(loops)).as("bytes over UCX").isZero();

            String overUcx = HttpClient.create(pool).host(HOST).port(server.port()).runOn(clientLoops)
                    .get().uri("/").responseContent().aggregate().asString().block(LIMIT);
            assertThat(overUcx).isEqualTo("Hello");
            assertThat(received(loops)).as("bytes over UCX").isPositive();
            assertThat(plain(loops)).isEqualTo(1);
        }
    }

    @Test
    void clientsReachTheServersThatAreSaidToBePlain() {
        byte[] body = new byte[BODY_BYTES];
        new Random(BODY_BYTES).nextBytes(body);
        server = HttpServer.create().host(HOST).port(0)
                .route(routes -> routes.post("/", (request, response) -> response.send(request.receive().retain())))
                .bindNow(LIMIT);
        int port = server.port();
        UcxLoopResources mixed = UcxLoopResources.create("mixed", 1, UcxNettyConfig.DEFAULT.withPlainTcp(
                UcxPlainTcpConfig.DEFAULT.withRemotes(remote -> remote.getPort() == port)));
        try {
            HttpClient client = HttpClient.create(pool).host(HOST).port(port).runOn(mixed);
            for (int i = 0; i < 3; i++) {
                byte[] answer = client.post().uri("/")
                        .send((request, out) -> out.sendByteArray(Mono.just(body)))
                        .responseContent().aggregate().asByteArray().block(LIMIT);
                assertThat(answer).isEqualTo(body);
            }
            assertThat(plain(mixed)).as("one for each request at most").isBetween(1L, 3L);
            assertThat(received(mixed)).as("bytes over UCX").isZero();
            pool.disposeLater().block(LIMIT);
            awaitNothingLeft(mixed);
        } finally {
            mixed.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        }
    }

    @Test
    void silentClientGetsWhatTheServerSaysFirst() throws IOException {
        server = TcpServer.create().host(HOST).port(0).runOn(loops)
                .handle((in, out) -> out.sendString(Mono.just("220 ready\r\n")).neverComplete()).bindNow(LIMIT);

        try (Socket socket = connect()) {
            assertThat(read(socket, 11)).isEqualTo("220 ready\r\n");
        }
    }

    @Test
    void fewBytesThatBeginLikeHelloArePlainWhenTheTimeIsOver() throws IOException {
        startEcho();
        byte[] magic = ByteBuffer.allocate(Integer.BYTES).putInt(SocketFrame.MAGIC).array();

        try (Socket socket = connect()) {
            socket.getOutputStream().write(magic, 0, 3);
            assertThat(socket.getInputStream().readNBytes(3)).containsExactly(magic[0], magic[1], magic[2]);
            socket.getOutputStream().write(magic);
            assertThat(socket.getInputStream().readNBytes(4)).containsExactly(magic);
        }
    }

    @Test
    void halfCloseOfAPlainClientReachesTheServer() throws IOException {
        server = TcpServer.create().host(HOST).port(0).runOn(loops)
                .handle((in, out) -> in.receive().asString(StandardCharsets.US_ASCII)
                        .takeUntil(text -> text.contains("\n")).then()
                        .thenMany(out.sendString(Mono.just("bye")).then())).bindNow(LIMIT);

        try (Socket socket = connect()) {
            socket.getOutputStream().write("x\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(read(socket, 3)).isEqualTo("bye");
            socket.shutdownOutput();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void strangersLeaveNothingBehind() throws IOException {
        startEcho();
        Random random = new Random(7);
        byte[] magic = ByteBuffer.allocate(Integer.BYTES).putInt(SocketFrame.MAGIC).array();
        for (int i = 0; i < STRANGERS; i++) {
            try (Socket socket = connect()) {
                byte[] data = new byte[random.nextInt(64)];
                random.nextBytes(data);
                System.arraycopy(magic, 0, data, 0, Math.min(data.length, random.nextInt(5)));
                socket.getOutputStream().write(data);
                if (i % 3 == 0) {
                    socket.setSoLinger(true, 0);
                }
            }
        }
        awaitNothingLeft(loops);
        try (Socket socket = connect(); InputStream in = socket.getInputStream()) {
            socket.getOutputStream().write('x');
            assertThat(in.read()).isEqualTo('x');
        }
    }

    @Test
    void clientOfUcxIsServedOverUcxThoughPlainPeersAreAccepted() {
        startEcho();
        String answer = TcpClient.create(pool).runOn(clientLoops)
                .remoteAddress(() -> (InetSocketAddress) server.address()).connect()
                .flatMap(connection -> connection.outbound().sendString(Mono.just("over UCX")).then()
                        .then(connection.inbound().receive().asString(StandardCharsets.US_ASCII).next())
                        .doFinally(ignored -> connection.dispose()))
                .block(LIMIT);
        assertThat(answer).isEqualTo("over UCX");
        assertThat(received(loops)).isEqualTo(8);
    }

    @Test
    void serversWithAnAuthenticatorAcceptNoPlainPeers() {
        UcxNettyConfig trusted = UcxNettyConfig.DEFAULT
                .withAuthenticator(Authenticator.sharedSecret(new byte[32]));
        assertThatThrownBy(() -> trusted.withPlainTcp(UcxPlainTcpConfig.DEFAULT.withAccepted(true)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("authenticator");
    }
}
