package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.reactorucx.testsupport.TestTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Sockets that are no channels, at both sides. */
@Tag("slow")
class HostileSocketTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final Duration HANDSHAKE = TestTime.millis(500);
    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int REJECT = 3;
    private static final int CLOSED = 4;
    private static final int STRANGERS = 3000;
    private static final int SILENT = 200;

    private static TestLoops serverLoops;
    private static TestLoops clientLoops;
    private static Channel server;
    private static EchoChannel friend;

    @BeforeAll
    static void start() {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTimeouts(HANDSHAKE, Duration.ofSeconds(2),
                Duration.ofSeconds(10), Duration.ofMinutes(1));
        serverLoops = new TestLoops("server", 1, config);
        clientLoops = new TestLoops("client", 1, config);
        server = EchoChannel.serve(serverLoops);
        friend = EchoChannel.connectAndEcho(clientLoops, server.localAddress());
    }

    /** The channel that was there before works, and nothing is left of the others. */
    @AfterEach
    void onlyTheFriendIsLeft() {
        await().pollInterval(Duration.ofMillis(5)).atMost(LIMIT).untilAsserted(() -> {
            assertThat(serverLoops.sum(UcxLoopStatistics::channels)).isEqualTo(1);
            assertThat(clientLoops.sum(UcxLoopStatistics::channels)).isEqualTo(1);
        });
        friend.echo();
    }

    @AfterAll
    static void end() {
        friend.channel().close().syncUninterruptibly();
        EchoChannel next = EchoChannel.connectAndEcho(clientLoops, server.localAddress());
        next.channel().close().syncUninterruptibly();
        server.close().syncUninterruptibly();
        serverLoops.awaitNoChannels();
        clientLoops.awaitNoChannels();
        clientLoops.close();
        serverLoops.close();
    }

    private static byte[] frame(int type, int length, byte... rest) {
        return ByteBuffer.allocate(8 + rest.length).putInt(0x52554358).put((byte) 2).put((byte) type)
                .putShort((short) length).put(rest).array();
    }

    private static byte[] frame(int type, byte... rest) {
        return frame(type, rest.length, rest);
    }

    private static byte[] welcome(int port) {
        return frame(WELCOME, ByteBuffer.allocate(32).putInt(1).putLong(2).putInt(port).putLong(3).putLong(4)
                .array());
    }

    private static byte[] join(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(Stream.of(parts).mapToInt(each -> each.length).sum());
        Stream.of(parts).forEach(all::put);
        return all.array();
    }

    private static byte[] hello() {
        return frame(HELLO, new byte[12]);
    }

    private static byte[] garbage() {
        byte[] bytes = new byte[100_000];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    static Stream<Arguments> strangers() {
        byte[] wrongVersion = hello();
        wrongVersion[4] = 2;
        return Stream.of(
                Arguments.of("random bytes", garbage()),
                Arguments.of("HTTP", "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                Arguments.of("one byte", new byte[] {'R'}),
                Arguments.of("half a HELLO", ByteBuffer.allocate(10).put(hello(), 0, 10).array()),
                Arguments.of("HELLO alone", hello()),
                Arguments.of("HELLO twice", join(hello(), hello())),
                Arguments.of("HELLO and random bytes", join(hello(), garbage())),
                Arguments.of("HELLO of another version", wrongVersion),
                Arguments.of("WELCOME of a client", welcome(1)),
                Arguments.of("REJECT of a client", frame(REJECT, (byte) 'x')),
                Arguments.of("CLOSED at first", frame(CLOSED)),
                Arguments.of("CLOSED often", join(frame(CLOSED), frame(CLOSED), frame(CLOSED))),
                Arguments.of("HELLO that is too short", frame(HELLO, new byte[11])),
                Arguments.of("a huge length", frame(HELLO, 0xFFFF, new byte[12])),
                Arguments.of("a length of 256", frame(REJECT, 256, new byte[12])),
                Arguments.of("an unknown type", frame(99)),
                Arguments.of("nothing", new byte[0]));
    }

    private Socket connect() throws IOException {
        return RawSockets.connect(server);
    }

    /** Reads until the peer ends the socket, in order or by a reset; fails after the limit. */
    private static void readToEnd(Socket socket) throws IOException {
        try {
            while (socket.getInputStream().read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("strangers")
    void aStrangerIsClosedInTime(String name, byte[] sent) throws IOException {
        try (Socket socket = connect()) {
            try {
                socket.getOutputStream().write(sent);
            } catch (SocketException e) {
                assertThat(e).as(name).hasMessageMatching("(?i).*(reset|broken pipe).*");
            }
            readToEnd(socket);
        }
    }

    /** However many frames a peer sends that it may not, it has one handshake, which fails once. */
    @Test
    void aSocketFailsOnlyOnce() throws IOException {
        byte[] reject = frame(REJECT, (byte) 'x');
        byte[] often = reject;
        for (int i = 0; i < 20; i++) {
            often = join(often, reject);
        }
        long ofServer = serverLoops.sum(UcxLoopStatistics::failedHandshakes);
        try (Socket socket = connect()) {
            socket.getOutputStream().write(often);
            readToEnd(socket);
        }
        assertThat(serverLoops.sum(UcxLoopStatistics::failedHandshakes)).isEqualTo(ofServer + 1);

        long ofClient = clientLoops.sum(UcxLoopStatistics::failedHandshakes);
        aPlainServerFailsTheChannelWithAReason("a reason, often", often, false, "rejected the channel: x");
        assertThat(clientLoops.sum(UcxLoopStatistics::failedHandshakes)).isEqualTo(ofClient + 1);
    }

    /** The stranger learns nothing of the reason: the log of the server has to tell it. */
    @Test
    void theServerWarnsOfAPlainClient() {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            // At most one warning a second, and the cases before this one have warned too.
            await().atMost(LIMIT).untilAsserted(() -> {
                String address;
                try (Socket socket = connect()) {
                    address = socket.getLocalSocketAddress().toString();
                    socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    readToEnd(socket);
                }
                assertThat(log.toString(StandardCharsets.UTF_8).lines()).anySatisfy(line -> assertThat(line)
                        .contains("WARN", address, "PROTOCOL", "no loop of UCX", "GET / HTTP/1.1", "withAccepted"));
            });
        } finally {
            System.setErr(before);
        }
    }

    /** The same bytes, and the end of the socket at once. */
    @Test
    void strangersThatGoAtOnceLeaveNothing() throws IOException {
        for (int i = 0; i < 10; i++) {
            for (Arguments each : strangers().toList()) {
                try (Socket socket = connect()) {
                    socket.getOutputStream().write((byte[]) each.get()[1]);
                } catch (SocketException e) {
                    assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
                }
            }
        }
    }

    @Test
    void thousandsOfStrangersComeAndGo() throws IOException {
        for (int i = 0; i < STRANGERS; i++) {
            try (Socket socket = connect()) {
                if (i % 3 == 0) {
                    socket.setSoLinger(true, 0);
                } else if (i % 3 == 1) {
                    socket.getOutputStream().write(hello());
                }
            }
        }
    }

    @Test
    void silentStrangersAreClosed() throws IOException {
        List<Socket> all = new ArrayList<>();
        try {
            for (int i = 0; i < SILENT; i++) {
                all.add(connect());
            }
            friend.echo();
            for (Socket each : all) {
                readToEnd(each);
            }
        } finally {
            for (Socket each : all) {
                each.close();
            }
        }
        assertThat(serverLoops.sum(UcxLoopStatistics::failedHandshakes)).isGreaterThanOrEqualTo(SILENT);
    }

    // ---- a server that is none

    /** A TCP server that sends the same to each client. */
    private static final class PlainServer implements AutoCloseable {

        private final ServerSocket listening;
        private final List<Socket> accepted = new ArrayList<>();

        PlainServer(byte[] sent, boolean closes) throws IOException {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread.ofVirtual().start(() -> serve(sent, closes));
        }

        private void serve(byte[] sent, boolean closes) {
            try {
                while (true) {
                    Socket socket = listening.accept();
                    synchronized (accepted) {
                        accepted.add(socket);
                    }
                    socket.getOutputStream().write(sent);
                    if (closes) {
                        socket.close();
                    }
                }
            } catch (IOException e) {
                if (!listening.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        @Override
        public void close() throws IOException {
            listening.close();
            synchronized (accepted) {
                for (Socket each : accepted) {
                    each.close();
                }
            }
        }
    }

    static Stream<Arguments> servers() {
        return Stream.of(
                Arguments.of("SMTP", "220 mail\r\n".getBytes(StandardCharsets.US_ASCII), false, "no loop of UCX.*220"),
                Arguments.of("random bytes", garbage(), false, "no loop of UCX"),
                Arguments.of("silence", new byte[0], false, "not opened the channel in time.*nothing.*withRemotes"),
                Arguments.of("the end", new byte[0], true, "socket has ended|reset"),
                Arguments.of("half a frame", new byte[] {'R', 'U'}, false, "not opened the channel in time$"),
                Arguments.of("half a frame and the end", new byte[] {'R', 'U'}, true, "socket has ended|reset"),
                Arguments.of("a reason", frame(REJECT, "too late".getBytes(StandardCharsets.US_ASCII)), false,
                        "rejected the channel: too late"),
                Arguments.of("HELLO", hello(), false, "no loop of UCX"),
                Arguments.of("WELCOME without a port", welcome(0), false, "no loop of UCX"),
                Arguments.of("WELCOME with a port above all", welcome(70_000), false, "no loop of UCX"),
                Arguments.of("WELCOME with a port where nobody is", welcome(1), false, "no link"),
                Arguments.of("WELCOME twice", join(welcome(1), welcome(1)), false, "no loop of UCX|no link"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servers")
    void aPlainServerFailsTheChannelWithAReason(String name, byte[] sent, boolean closes, String reason)
            throws IOException {
        try (PlainServer plain = new PlainServer(sent, closes)) {
            EchoChannel channel = EchoChannel.connect(clientLoops, plain.listening.getLocalSocketAddress());
            assertThat(channel.channel().closeFuture().awaitUninterruptibly(LIMIT.toMillis())).as(name).isTrue();
            await().atMost(LIMIT).untilAsserted(() -> assertThat(channel.error()).isInstanceOf(IOException.class));
            assertThat(channel.error().getMessage()).containsPattern(reason);
        }
    }
}
