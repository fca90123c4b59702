package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.UnixChannelOption;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels whose sockets are Unix domain sockets. */
@Tag("slow")
class DomainSocketTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final Duration HANDSHAKE = TestTime.seconds(2);
    private static final String SECRET = "a secret of the two loops that is long enough";
    private static final int MOST = 3;
    private static final int MAX_PATH_BYTES = 108;

    @TempDir
    private Path folder;
    private DomainSocketAddress address;
    private TestLoops serverLoops;
    private TestLoops clientLoops;
    private Channel server;
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    @BeforeEach
    void setAddress() {
        address = new DomainSocketAddress(folder.resolve("s").toString());
    }

    private static UcxNettyConfig config(String... transports) {
        return UcxNettyConfig.DEFAULT.withTransports(transports).withTimeouts(HANDSHAKE, Duration.ofSeconds(2),
                Duration.ofSeconds(10), Duration.ofMinutes(1));
    }

    private void start(UcxNettyConfig ofServer, UcxNettyConfig ofClient) {
        serverLoops = new TestLoops("server", 1, ofServer);
        clientLoops = new TestLoops("client", 1, ofClient);
        server = EchoChannel.serve(serverLoops, address, errors);
    }

    private void start(String... transports) {
        start(config(transports), config(transports));
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        if (server != null) {
            server.close().syncUninterruptibly();
        }
        for (TestLoops each : new TestLoops[] {clientLoops, serverLoops}) {
            if (each != null) {
                each.awaitNoChannels();
                await().atMost(LIMIT).until(() -> each.sum(UcxLoopStatistics::plainChannels) == 0);
                each.close();
            }
        }
        try (var left = Files.list(folder)) {
            assertThat(left).as("files").isEmpty();
        }
    }

    private static void close(EchoChannel channel) {
        channel.channel().close().syncUninterruptibly();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "shm", "tcp"})
    void bytesGoOverUcx(String transport) {
        start(transport.isEmpty() ? new String[0] : new String[] {transport});
        EchoChannel channel = EchoChannel.connect(clientLoops, address);
        channel.stream();
        await().atMost(LIMIT).until(() -> channel.received() > 10 << 20);
        EchoChannel.drain(List.of(channel));

        assertThat(clientLoops.sum(UcxLoopStatistics::receivedBytes)).isEqualTo(channel.received());
        assertThat(channel.channel().remoteAddress()).isEqualTo(address);
        assertThat(channel.channel().localAddress()).isEqualTo(new DomainSocketAddress(""));
        assertThat(server.localAddress()).isEqualTo(address);
        close(channel);
    }

    @Test
    void theLinkIsOpenToThisHostAlone() throws IOException {
        start();
        EchoChannel channel = EchoChannel.connect(clientLoops, address);
        channel.echo();
        List<InetSocketAddress> listening = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/self/net", table))) {
                String[] parts = line.trim().split("\\s+");
                if (parts[3].equals("0A") && isOwn(parts[9])) {
                    String[] bound = parts[1].split(":");
                    listening.add(new InetSocketAddress(bound[0], Integer.parseInt(bound[1], 16)));
                    assertThat(bound[0]).as(line).matches("0100007F|0000000000000000FFFF00000100007F");
                }
            }
        }
        assertThat(listening).isNotEmpty();
        close(channel);
    }

    /** Whether a socket is one of this process, by its number. */
    private static boolean isOwn(String inode) throws IOException {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.anyMatch(each -> {
                try {
                    return Files.readSymbolicLink(each).toString().equals("socket:[" + inode + "]");
                } catch (IOException e) {
                    return false;
                }
            });
        }
    }

    @Test
    void credentialsOfThePeerAreThoseOfItsProcess() throws IOException {
        start();
        EchoChannel channel = EchoChannel.connect(clientLoops, address);
        channel.echo();
        UcxDomainSocketChannel domain = (UcxDomainSocketChannel) channel.channel();
        assertThat(domain.peerCredentials().pid()).isEqualTo((int) ProcessHandle.current().pid());
        assertThat(domain.fd().isOpen()).isTrue();
        close(channel);
    }

    @Test
    void optionsAreKept() {
        start();
        EchoChannel echo = EchoChannel.connect(clientLoops, address);
        echo.echo();
        Channel channel = echo.channel();
        for (ChannelOption<Integer> option : List.of(ChannelOption.SO_SNDBUF, ChannelOption.SO_RCVBUF,
                ChannelOption.SO_LINGER)) {
            assertThat(channel.config().setOption(option, 100_000)).isTrue();
            assertThat(channel.config().getOption(option)).isEqualTo(100_000);
            assertThat(channel.config().getOptions()).containsEntry(option, 100_000);
        }
        assertThat(channel.config().setOption(ChannelOption.TCP_NODELAY, true)).isFalse();
        assertThat(channel.config().getOption(UnixChannelOption.DOMAIN_SOCKET_READ_MODE))
                .isEqualTo(DomainSocketReadMode.BYTES);
        assertThatThrownBy(() -> channel.config().setOption(UnixChannelOption.DOMAIN_SOCKET_READ_MODE,
                DomainSocketReadMode.FILE_DESCRIPTORS)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("FILE_DESCRIPTORS").hasMessageContaining("BYTES");
        close(echo);
    }

    @Test
    void aHalfClosedChannelReadsOn() {
        start();
        EchoChannel channel = EchoChannel.connect(clientLoops, address);
        channel.echo();
        ((DuplexChannel) channel.channel()).shutdownOutput().syncUninterruptibly();
        assertThat(channel.channel().closeFuture().awaitUninterruptibly(LIMIT.toMillis())).isTrue();
        assertThat(channel.error()).isNull();
    }

    // ---- the file

    /** What epoll does with a path, to compare with. */
    private Throwable bindByEpoll(DomainSocketAddress path) {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            var bound = new ServerBootstrap().group(group).channel(EpollServerDomainSocketChannel.class)
                    .childHandler(new ChannelInboundHandlerAdapter()).bind(path).awaitUninterruptibly();
            bound.channel().close().syncUninterruptibly();
            return bound.cause();
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static Throwable cause(ChannelFuture future) {
        assertThat(future.awaitUninterruptibly(LIMIT.toMillis())).isTrue();
        return future.cause();
    }

    private Throwable bind(DomainSocketAddress path) {
        ChannelFuture bound = serverLoops.server(path).childHandler(new ChannelInboundHandlerAdapter()).bind(path);
        Throwable cause = cause(bound);
        bound.channel().close().syncUninterruptibly();
        return cause;
    }

    @Test
    void aFileOfAServerThatWasKilledIsReplaced() throws IOException {
        Files.createFile(Path.of(address.path()));
        assertThat(bindByEpoll(address)).isNull();
        try (ChildJvm child = ChildJvm.of(EchoServerProcess.class)
                .options("-D" + EchoServerProcess.PATH + "=" + address.path()).start()) {
            child.awaitLine(EchoServerProcess.PORT);
            child.signal("KILL");
            assertThat(child.result().exitCode()).isNotZero();
        }
        assertThat(Path.of(address.path())).exists();
        start();
        EchoChannel channel = EchoChannel.connect(clientLoops, address);
        channel.echo();
        close(channel);
    }

    @Test
    void badPathsFailAsWithEpoll() {
        start();
        DomainSocketAddress tooLong = new DomainSocketAddress("/tmp/" + "x".repeat(MAX_PATH_BYTES));
        DomainSocketAddress nowhere = new DomainSocketAddress(folder.resolve("none").resolve("s").toString());
        for (DomainSocketAddress each : List.of(tooLong, nowhere)) {
            Throwable cause = bind(each);
            assertThat(cause).isInstanceOf(IOException.class);
            assertThat(cause.getMessage()).isEqualTo(bindByEpoll(each).getMessage());
            assertThat(cause(clientLoops.client(each).handler(new ChannelInboundHandlerAdapter()).connect(each)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void addressesOfAnotherKindAreRefused() {
        start();
        Bootstrap domain = clientLoops.client(address).handler(new ChannelInboundHandlerAdapter());
        assertThat(cause(domain.connect(new InetSocketAddress("127.0.0.1", 1))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("must be a DomainSocketAddress");
        Bootstrap tcp = clientLoops.client().handler(new ChannelInboundHandlerAdapter());
        assertThat(cause(tcp.connect(address)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("must be an InetSocketAddress");
    }

    // ---- peers

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void channelsEndWhenThePeerIsKilled(String transport) {
        clientLoops = new TestLoops("client", 1, UcxNettyConfig.DEFAULT.withTransports(transport));
        try (ChildJvm child = ChildJvm.of(EchoServerProcess.class).arguments(transport)
                .options("-D" + EchoServerProcess.PATH + "=" + address.path()).start()) {
            child.awaitLine(EchoServerProcess.PORT);
            EchoChannel channel = EchoChannel.connect(clientLoops, address);
            channel.stream();
            await().atMost(LIMIT).until(() -> channel.error() != null || channel.received() > 1 << 20);
            assertThat(channel.error()).isNull();
            child.signal("KILL");
            assertThat(channel.channel().closeFuture().awaitUninterruptibly(LIMIT.toMillis())).isTrue();
            assertThat(channel.error()).isInstanceOf(IOException.class);
        }
        assertThat(address.path()).satisfies(path -> assertThat(Files.deleteIfExists(Path.of(path))).isTrue());
    }

    @Test
    void strangersAreClosedInTime() throws IOException {
        start();
        EchoChannel friend = EchoChannel.connect(clientLoops, address);
        friend.echo();
        byte[] garbage = new byte[100_000];
        new Random(1).nextBytes(garbage);
        byte[] hello = ByteBuffer.allocate(20).putInt(0x52554358).put((byte) 2).put((byte) 1).putShort((short) 12)
                .array();
        for (byte[] sent : List.of(garbage, new byte[0], new byte[] {'R'}, hello,
                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII))) {
            try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                socket.connect(UnixDomainSocketAddress.of(address.path()));
                readToEnd(socket, sent);
            }
        }
        friend.echo();
        assertThat(serverLoops.sum(UcxLoopStatistics::channels)).isEqualTo(1);
        close(friend);
    }

    private static void readToEnd(SocketChannel socket, byte[] sent) {
        try {
            ByteBuffer all = ByteBuffer.wrap(sent);
            while (all.hasRemaining()) {
                socket.write(all);
            }
            ByteBuffer answer = ByteBuffer.allocate(1000);
            while (socket.read(answer) >= 0) {
                answer.clear();
            }
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true"})
    void loopsAuthenticateEachOther(boolean ofServer, boolean ofClient) {
        UcxNettyConfig secret = config().withAuthenticator(
                Authenticator.sharedSecret(SECRET.getBytes(StandardCharsets.UTF_8)));
        start(ofServer ? secret : config(), ofClient ? secret : config());
        EchoChannel channel = EchoChannel.connect(clientLoops, address);
        if (ofServer && ofClient) {
            channel.echo();
            close(channel);
            return;
        }
        channel.stream();
        assertThat(channel.channel().closeFuture().awaitUninterruptibly(LIMIT.toMillis())).isTrue();
        assertThat(channel.error()).isInstanceOf(IOException.class);
        assertThat(serverLoops.sum(UcxLoopStatistics::receivedBytes)).isZero();
    }

    @Test
    void channelsBeyondTheLimitAreRefused() {
        start(config().withLimits(10, MOST).withClientShare(1), config());
        List<EchoChannel> all = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            EchoChannel channel = EchoChannel.connect(clientLoops, address);
            channel.echo();
            all.add(channel);
        }
        EchoChannel refused = EchoChannel.connect(clientLoops, address);
        assertThat(refused.channel().closeFuture().awaitUninterruptibly(LIMIT.toMillis())).isTrue();
        assertThat(refused.error()).isInstanceOf(IOException.class);
        all.forEach(EchoChannel::echo);
        all.forEach(DomainSocketTest::close);
    }

    @Test
    void aPlainPeerIsServedIfThatIsAllowed() throws IOException {
        UcxNettyConfig plain = config().withPlainTcp(UcxPlainTcpConfig.DEFAULT.withAccepted(true));
        start(plain, config());
        try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.connect(UnixDomainSocketAddress.of(address.path()));
            ByteBuffer sent = StandardCharsets.US_ASCII.encode("hello, plain one");
            int bytes = socket.write(sent);
            ByteBuffer answer = ByteBuffer.allocate(bytes);
            while (answer.hasRemaining() && socket.read(answer) >= 0) {
                Thread.onSpinWait();
            }
            assertThat(answer.flip()).isEqualTo(sent.flip());
            assertThat(serverLoops.sum(UcxLoopStatistics::plainChannels)).isEqualTo(1);
        }
        EchoChannel overUcx = EchoChannel.connect(clientLoops, address);
        overUcx.echo();
        assertThat(clientLoops.sum(UcxLoopStatistics::receivedBytes)).isPositive();
        close(overUcx);
    }

    @Test
    void closeLingersUntilThePeerHasAll() {
        start();
        EchoChannel channel = EchoChannel.connect(clientLoops, address);
        channel.echo();
        channel.channel().config().setOption(ChannelOption.SO_LINGER, 600);
        assertThat(channel.channel().close().awaitUninterruptibly(LIMIT.toMillis())).isTrue();
        assertThat(errors).isEmpty();
    }
}
