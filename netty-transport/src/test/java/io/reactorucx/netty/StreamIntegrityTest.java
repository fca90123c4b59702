package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.reactorucx.testsupport.TestTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each byte of channels whose writers and readers do at random what they may. */
@Tag("slow")
class StreamIntegrityTest {

    private static final Duration LIMIT = TestTime.seconds(30);
    private static final int CHANNELS = 8;
    private static final int ROUNDS = 3;
    private static final int WINDOW = 64 << 10;
    private static final long SEED = 20261124;

    /** Connects channels, each of whose ends is one of the peers. */
    private static List<Channel> connect(TestLoops serverLoops, TestLoops clientLoops, int count,
            Supplier<ChannelHandler> serverPeer, Supplier<ChannelHandler> clientPeer) {
        ServerBootstrap server = serverLoops.server().childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(serverPeer.get());
                    }
                });
        Channel listening = server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly().channel();
        Bootstrap client = clientLoops.client().option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(clientPeer.get());
                    }
                });
        List<ChannelFuture> connecting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            connecting.add(client.connect(listening.localAddress()));
        }
        List<Channel> all = new ArrayList<>();
        connecting.forEach(each -> all.add(each.syncUninterruptibly().channel()));
        all.add(listening);
        return all;
    }

    @ParameterizedTest
    @CsvSource({"shm,1", "shm,2", "tcp,1", "tcp,2"})
    void eachByteComesInOrder(String transport, int count) {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTransports(transport);
        try (TestLoops serverLoops = new TestLoops("server", count, config);
                TestLoops clientLoops = new TestLoops("client", count, config)) {
            Random random = new Random(SEED);
            for (int round = 0; round < ROUNDS; round++) {
                List<RandomPeer> peers = new CopyOnWriteArrayList<>();
                Supplier<ChannelHandler> whole = () -> {
                    synchronized (random) {
                        return RandomPeer.whole(random.nextLong(), peers);
                    }
                };
                List<Channel> all = connect(serverLoops, clientLoops, CHANNELS, whole, whole);
                await().atMost(LIMIT).untilAsserted(() -> {
                    assertThat(peers).hasSize(2 * CHANNELS);
                    assertThat(peers).allMatch(RandomPeer::hasEnded);
                });
                assertThat(peers).allSatisfy(each -> assertThat(each.error()).isNull());
                assertThat(peers).allMatch(RandomPeer::hasSentAll);
                assertThat(peers.stream().mapToLong(RandomPeer::received).sum())
                        .isEqualTo(peers.stream().mapToLong(RandomPeer::sent).sum());
                all.getLast().close().syncUninterruptibly();
                serverLoops.awaitNoChannels();
                clientLoops.awaitNoChannels();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void whatComesBeforeAnEndAmidIsRight(String transport) {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTransports(transport);
        try (TestLoops serverLoops = new TestLoops("server", 1, config);
                TestLoops clientLoops = new TestLoops("client", 1, config)) {
            Random random = new Random(SEED);
            for (int round = 0; round < ROUNDS; round++) {
                List<RandomPeer> peers = new CopyOnWriteArrayList<>();
                Supplier<ChannelHandler> ending = () -> {
                    synchronized (random) {
                        return RandomPeer.ending(random.nextLong(), peers);
                    }
                };
                List<Channel> all = connect(serverLoops, clientLoops, CHANNELS, ending, ending);
                await().atMost(LIMIT).untilAsserted(() -> {
                    assertThat(peers).hasSize(2 * CHANNELS);
                    assertThat(peers).allMatch(RandomPeer::hasEnded);
                });
                assertThat(peers).allSatisfy(each -> assertThat(each.wrong()).isNull());
                assertThat(peers.stream().mapToLong(RandomPeer::received).sum()).isPositive();
                all.getLast().close().syncUninterruptibly();
                serverLoops.awaitNoChannels();
                clientLoops.awaitNoChannels();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void aReceiverHoldsNoMoreThanItsWindow(String transport) {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTransports(transport).withWindowBytes(WINDOW);
        try (TestLoops serverLoops = new TestLoops("server", 1, config);
                TestLoops clientLoops = new TestLoops("client", 1, config)) {
            List<WindowReader> readers = new CopyOnWriteArrayList<>();
            List<Channel> all = connect(serverLoops, clientLoops, 1, () -> {
                WindowReader reader = new WindowReader(serverLoops);
                readers.add(reader);
                return reader;
            }, WindowReader.Writer::new);
            // A send counts when it has completed, which the sender may notice after the receiver has the bytes.
            await().atMost(LIMIT).until(() -> serverLoops.sum(UcxLoopStatistics::receivedBytes) == WINDOW
                    && clientLoops.sum(UcxLoopStatistics::sentBytes) == WINDOW);
            WindowReader reader = readers.getFirst();
            assertThat(reader.received()).isZero();
            reader.readAll();
            await().atMost(LIMIT).until(() -> reader.received() == WindowReader.BYTES);
            assertThat(reader.most()).isBetween(1L, (long) WINDOW);
            all.forEach(each -> each.close().syncUninterruptibly());
            serverLoops.awaitNoChannels();
            clientLoops.awaitNoChannels();
        }
    }

    /** A control: a wrong byte is seen. */
    @Test
    void aWrongByteIsSeen() {
        assertThat(RandomPeer.byteAt(1)).isNotEqualTo(RandomPeer.byteAt(2));
        byte[] data = {RandomPeer.byteAt(5), RandomPeer.byteAt(7)};
        assertThat(RandomPeer.firstWrong(Unpooled.wrappedBuffer(data), 5)).isEqualTo(6);
    }
}
