package io.reactorucx.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Ucx;
import io.reactorucx.netty.UcxIoHandler;
import io.reactorucx.netty.UcxIoHandlerFactory;
import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxNettyMeters;
import io.reactorucx.netty.UcxNettyMetrics;
import io.reactorucx.netty.UcxServerChannel;
import io.reactorucx.netty.UcxSocketChannel;
import io.reactorucx.netty.internal.HostileLoop.Greeted;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.connection.ConnectionCore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Peers that have done the handshakes as they should, and then break the protocol over their link: that costs them
 * their channel or link, and nothing else.
 */
@Tag("slow")
class HostileLinkTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final int WINDOW = 1 << 16;
    /** The least that may be offered. */
    private static final int OFFERED = 16 << 10;
    private static final int OURS = 77;
    private static final long TOKEN = 12345;
    private static final int CREDIT = 1 << 20;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private UcxIoHandlerFactory servers;
    private EventLoopGroup serverLoops;
    private EventLoopGroup clientLoops;
    private InetSocketAddress address;
    private Channel friend;
    private final AtomicLong echoed = new AtomicLong();
    private HostileLoop hostile;
    private Greeted channel;
    private ConnectionCore link;

    /**
     * Sends back what comes; to who sends one byte, as much as the channel takes; two bytes are the last that it reads
     * of one who gets the same.
     */
    private static final class Echo extends ChannelInboundHandlerAdapter {

        private boolean streams;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            int bytes = ((ByteBuf) message).readableBytes();
            streams |= bytes == 1 || bytes == 2;
            if (bytes == 2) {
                context.channel().config().setAutoRead(false);
            }
            context.writeAndFlush(message);
            stream(context);
        }

        private void stream(ChannelHandlerContext context) {
            while (streams && context.channel().isActive() && context.channel().isWritable()) {
                context.writeAndFlush(context.alloc().directBuffer(OFFERED).writeZero(OFFERED));
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            context.executor().execute(() -> stream(context));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    @BeforeEach
    void connect() throws IOException {
        connect("shm", WINDOW);
    }

    private void connect(String transport, int window) throws IOException {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTransports(transport).withWindowBytes(window).withTimeouts(
                TestTime.seconds(2), Duration.ofMillis(300), Duration.ofSeconds(10), Duration.ofMinutes(1));
        servers = UcxIoHandler.newFactory(config);
        new UcxNettyMetrics(servers).bindTo(meters);
        serverLoops = new MultiThreadIoEventLoopGroup(1, servers);
        clientLoops = new MultiThreadIoEventLoopGroup(1, UcxIoHandler.newFactory(config));
        address = (InetSocketAddress) new ServerBootstrap().group(serverLoops).channel(UcxServerChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel accepted) {
                        accepted.pipeline().addLast(new Echo());
                    }
                }).bind("127.0.0.1", 0).syncUninterruptibly().channel().localAddress();
        friend = new Bootstrap().group(clientLoops).channel(UcxSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        echoed.addAndGet(((ByteBuf) message).readableBytes());
                        ((ByteBuf) message).release();
                    }
                }).connect(address).syncUninterruptibly().channel();
        friendIsServed();
        hostile = new HostileLoop(transport);
        channel = HostileLoop.greet(address, OURS, TOKEN);
        link = hostile.link(new InetSocketAddress(address.getAddress(), channel.port()));
        hostile.open(link, channel.channel(), OURS, channel.token(), CREDIT);
        hostile.stepUntil(() -> hostile.heard().stream().anyMatch(each -> each.type() == StreamFrame.Type.OPEN));
        hostile.heard().clear();
    }

    private void friendIsServed() {
        long before = echoed.get();
        friend.writeAndFlush(friend.alloc().directBuffer(1000).writeZero(1000)).syncUninterruptibly();
        await().pollInterval(Duration.ofMillis(2)).atMost(LIMIT).until(() -> echoed.get() == before + 1000);
    }

    private UcxLoopStatistics server() {
        return servers.statistics().getFirst();
    }

    /** Only the friend's channel is left while the link is there, and only its link when the peer has gone. */
    @AfterEach
    void nothingIsLeft() throws IOException {
        try {
            channel.close();
            friendIsServed();
            await().pollInSameThread().atMost(LIMIT).untilAsserted(() -> {
                hostile.step();
                assertThat(server().channels()).isEqualTo(1);
            });
            hostile.close();
            await().atMost(LIMIT).untilAsserted(() -> assertThat(server().links()).isEqualTo(1));
            await().atMost(LIMIT).untilAsserted(() -> assertThat(meter(UcxNettyMeters.LEASED_BYTES)).isZero());
            assertThat(meter(UcxNettyMeters.WAITING_CHANNELS)).isZero();
            assertThat(meter(UcxNettyMeters.PENDING_HANDSHAKES)).isZero();
            friendIsServed();
        } finally {
            endLoops();
        }
    }

    private void endLoops() {
        assertThat(clientLoops.shutdownGracefully(0, 10, TimeUnit.SECONDS).awaitUninterruptibly(LIMIT.toMillis()))
                .isTrue();
        assertThat(serverLoops.shutdownGracefully(0, 10, TimeUnit.SECONDS).awaitUninterruptibly(LIMIT.toMillis()))
                .isTrue();
    }

    /** Begins anew with another transport: over this one data that is offered needs the peer to be fetched. */
    private void connectOverTcp(int window) throws IOException {
        channel.close();
        hostile.close();
        endLoops();
        meters.clear();
        echoed.set(0);
        connect("tcp", window);
    }

    private double operations() {
        return meters.get("reactor.ucx.operations.in.flight").gauge().value();
    }

    private double meter(UcxNettyMeters meter) {
        return meters.get(meter.getName()).gauge().value();
    }

    private void data(int offset, int length, AmProtocol how) {
        hostile.send(link, StreamFrame.Type.DATA, channel.channel(), OURS, offset, CREDIT, length, how);
    }

    private void data(int offset, int length) {
        data(offset, length, AmProtocol.EAGER);
    }

    private void frame(StreamFrame.Type type, int offset, int length) {
        hostile.send(link, type, channel.channel(), OURS, offset, CREDIT, length, AmProtocol.EAGER);
    }

    /** What a peer sends that may not. */
    enum Violation {
        DATA_PAST_THE_WINDOW(test -> test.data(WINDOW, 1)),
        DATA_LONGER_THAN_THE_WINDOW(test -> test.data(0, WINDOW + 1, AmProtocol.RENDEZVOUS)),
        DATA_AT_A_HUGE_OFFSET(test -> test.data(Integer.MAX_VALUE, 100)),
        DATA_AT_A_NEGATIVE_OFFSET(test -> test.data(-1, 100)),
        DATA_ACROSS_THE_WINDOW(test -> test.data(WINDOW - 10, 20)),
        DATA_TWICE(test -> {
            test.data(0, 100);
            test.data(0, 100);
        }),
        EARLY_DATA_TWICE(test -> {
            test.data(100, 100);
            test.data(100, 100);
        }),
        OVERLAP(test -> {
            test.data(100, 100);
            test.data(150, 10);
        }),
        OVERLAP_OF_WHAT_IS_FETCHED(test -> {
            test.data(100, OFFERED, AmProtocol.RENDEZVOUS);
            test.data(4000, OFFERED, AmProtocol.RENDEZVOUS);
        }),
        OFFER_OF_LITTLE_DATA(test -> test.data(0, OFFERED - 1, AmProtocol.RENDEZVOUS)),
        EMPTY_DATA(test -> test.data(0, 0)),
        CREDIT_AS_AN_EMPTY_RENDEZVOUS(test -> test.hostile.send(test.link, StreamFrame.Type.CREDIT,
                test.channel.channel(), OURS, 0, CREDIT, 0, AmProtocol.RENDEZVOUS)),
        CREDIT_WITH_DATA(test -> test.frame(StreamFrame.Type.CREDIT, 0, 5)),
        FIN_WITH_DATA(test -> test.frame(StreamFrame.Type.FIN, 0, 5)),
        FIN_PAST_THE_WINDOW(test -> test.frame(StreamFrame.Type.FIN, WINDOW + 1, 0)),
        FIN_OF_THE_PAST(test -> {
            test.data(0, 100);
            test.frame(StreamFrame.Type.FIN, 50, 0);
        }),
        FIN_BEFORE_EARLY_DATA(test -> {
            test.data(100, 100);
            test.frame(StreamFrame.Type.FIN, 100, 0);
        }),
        FIN_TWICE_AT_TWO_OFFSETS(test -> {
            test.frame(StreamFrame.Type.FIN, 50, 0);
            test.frame(StreamFrame.Type.FIN, 60, 0);
        }),
        DATA_BEHIND_FIN(test -> {
            test.frame(StreamFrame.Type.FIN, 50, 0);
            test.data(0, 51);
        }),
        OPEN_WITH_A_WRONG_TOKEN(test -> test.hostile.open(test.link, test.channel.channel(), OURS, 1, CREDIT)),
        OPEN_TWICE(test -> test.hostile.open(test.link, test.channel.channel(), OURS, test.channel.token(), CREDIT)),
        CLOSED_WITHOUT_A_CLOSE(test -> test.frame(StreamFrame.Type.CLOSED, 0, 0)),
        CLOSE_LINGERING_PAST_THE_WINDOW(test -> test.frame(StreamFrame.Type.CLOSE_LINGERING, WINDOW + 1, 0)),
        OPEN_WITHOUT_A_TOKEN(test -> test.frame(StreamFrame.Type.OPEN, 0, 3)),
        UNKNOWN_TYPE(test -> test.hostile.send(test.link, MemorySegment.ofArray(new byte[] {0, 0, 0, 1, 99, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), MemorySegment.NULL, AmProtocol.EAGER)),
        SHORT_HEADER(test -> test.hostile.send(test.link, MemorySegment.ofArray(new byte[3]), MemorySegment.NULL,
                AmProtocol.EAGER));

        private final Consumer<HostileLinkTest> attack;

        Violation(Consumer<HostileLinkTest> attack) {
            this.attack = attack;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aViolationIsCountedAndCostsItsPeerAlone(Violation violation) {
        violation.attack.accept(this);

        await().pollInSameThread().atMost(LIMIT).untilAsserted(() -> {
            hostile.step();
            assertThat(server().violations()).isPositive();
        });
    }

    @Test
    void reorderedDataIsNone() {
        data(300, 100);
        data(100, 200);
        data(0, 100);
        hostile.stepUntil(() -> hostile.heard().stream().mapToLong(HostileLoop.Heard::length).sum() == 400);
        frame(StreamFrame.Type.FIN, 400, 0);
        frame(StreamFrame.Type.FIN, 400, 0);
        friendIsServed();
        assertThat(server().violations()).isZero();
    }

    /** Numbers of channels follow each other: that of the friend is near. */
    @Test
    void framesForChannelsOfOthersReachNone() {
        for (int i = -50; i <= 50; i++) {
            for (StreamFrame.Type type : List.of(StreamFrame.Type.DATA, StreamFrame.Type.CREDIT,
                    StreamFrame.Type.FIN, StreamFrame.Type.CLOSE, StreamFrame.Type.CLOSE_LINGERING,
                    StreamFrame.Type.CLOSED, StreamFrame.Type.RESET)) {
                for (int j = -50; j <= 50 && i != 0; j += 10) {
                    hostile.send(link, type, channel.channel() + i, OURS + j, 0, CREDIT,
                            type == StreamFrame.Type.DATA ? 10 : 0, AmProtocol.EAGER);
                    hostile.step();
                }
            }
        }
        friendIsServed();
        assertThat(server().channels()).isEqualTo(2);
    }

    /** The peer floods, and takes none of the answers. */
    @Test
    void floodsOfUnknownChannelsAreAnsweredWithoutAQueue() {
        for (int i = 0; i < 200_000; i++) {
            hostile.open(link, i, OURS, i, CREDIT);
            hostile.send(link, StreamFrame.Type.RESET, i, OURS, 0, 0, 0, AmProtocol.EAGER);
        }
        friendIsServed();
    }

    @Test
    void creditThatOverflowsCostsTheChannelAlone() {
        for (int i = 1; i <= 10; i++) {
            hostile.send(link, StreamFrame.Type.CREDIT, channel.channel(), OURS, 0, i * (Integer.MAX_VALUE - 1), 0,
                    AmProtocol.EAGER);
        }
        data(0, 1000);
        friendIsServed();
    }

    /** It has said that it has closed at an offset, and never sends what is before that. */
    @ParameterizedTest
    @EnumSource
    void aCloseWithoutItsDataEndsTheChannel(SocketEnd end) throws IOException {
        frame(StreamFrame.Type.CLOSE, 1000, 0);
        friendIsServed();
        hostile.step();
        switch (end) {
            case IN_ORDER -> channel.endInOrder();
            case RESET -> {
                channel.socket().setSoLinger(true, 0);
                channel.close();
            }
            case LINK_FIRST -> hostile.close();
        }
        await().atMost(LIMIT).until(() -> server().channels() == 1);
    }

    enum SocketEnd { IN_ORDER, RESET, LINK_FIRST }

    /** More answers than the sockets of UCX take, and the engine has slots. */
    @Test
    void answersThatThePeerDoesNotTakeLeaveSlotsForOthers() throws IOException {
        connectOverTcp(WINDOW);
        for (int i = 0; i < 200; i++) {
            for (int j = 0; j < 1000; j++) {
                hostile.open(link, channel.channel() + 1000 + i, OURS, 1, CREDIT);
            }
            friendIsServed();
        }
        assertThat(operations()).isLessThanOrEqualTo(300);
    }

    /** The peer gives credit for all that the channel has, and takes nothing. */
    @Test
    void dataThatThePeerDoesNotTakeIsBounded() throws IOException {
        hostile.send(link, StreamFrame.Type.CREDIT, channel.channel(), OURS, 0, Integer.MAX_VALUE, 0,
                AmProtocol.EAGER);
        data(0, 1);
        await().atMost(LIMIT).until(() -> server().sentBytes() > LinkRoom.MAX_BYTES);
        long friends = 0;
        for (int i = 0; i < 20; i++) {
            friendIsServed();
            friends = echoed.get();
        }
        // What has left for the peer's queue in shared memory is its own: 8 KiB in each element.
        long queued = (long) (Ucx.version().isAtLeast(1, 14) ? 256 : 64) * (8 << 10);
        assertThat(server().sentBytes() - friends).isLessThanOrEqualTo(LinkRoom.MAX_BYTES + queued + OFFERED + 1);
        channel.close();
        hostile.stepUntil(() -> meter(UcxNettyMeters.LEASED_BYTES) == 0);
    }

    /** As one that waits until it is writable before it reads on. */
    @Test
    void aChannelThatDoesNotReadButWritesLearnsThatItsPeerIsGone() throws IOException {
        data(0, 2);
        await().atMost(LIMIT).until(() -> meter(UcxNettyMeters.WAITING_CHANNELS) == 1);
        long before = server().receivedBytes();
        data(2, 100);
        await().atMost(LIMIT).until(() -> server().receivedBytes() == before + 100);
        channel.close();
        await().atMost(LIMIT).until(() -> server().channels() == 1);
    }

    /** The peer lives on, but does nothing any more for UCX. */
    @Test
    void aLinkThatEndsBeforeItsDataIsTakenLeavesNothing() throws IOException {
        double before = operations();
        hostile.send(link, StreamFrame.Type.CREDIT, channel.channel(), OURS, 0, Integer.MAX_VALUE, 0,
                AmProtocol.EAGER);
        data(0, 1);
        await().atMost(LIMIT).until(() -> server().sentBytes() > LinkRoom.MAX_BYTES);
        // The engine counts them at the end of its round.
        await().atMost(LIMIT).untilAsserted(() -> assertThat(operations())
                .as("this is no test if few are under way").isGreaterThan(before + 100));
        channel.close();
        link.beginClose(CloseMode.FORCE);
        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(meter(UcxNettyMeters.LEASED_BYTES)).isZero();
            assertThat(operations()).isLessThanOrEqualTo(before);
        });
    }

    @Test
    void offersThatAreNeverServedLeaveSlotsForOthers() throws IOException {
        connectOverTcp(1 << 30);
        List<HostileLoop> more = new ArrayList<>();
        List<Greeted> channels = new ArrayList<>();
        try {
            offerMuch(hostile, link, channel);
            friendIsServed();
            for (int i = 0; i < 2; i++) {
                HostileLoop other = new HostileLoop("tcp");
                more.add(other);
                Greeted itsChannel = HostileLoop.greet(address, OURS, TOKEN);
                channels.add(itsChannel);
                ConnectionCore itsLink = other.link(new InetSocketAddress(address.getAddress(), itsChannel.port()));
                other.open(itsLink, itsChannel.channel(), OURS, itsChannel.token(), CREDIT);
                other.stepUntil(() -> !other.heard().isEmpty());
                offerMuch(other, itsLink, itsChannel);
                friendIsServed();
            }
            assertThat(operations()).as("this is no test if few are under way").isGreaterThan(6000);
        } finally {
            for (Greeted each : channels) {
                each.close();
            }
            more.forEach(HostileLoop::close);
        }
    }

    private void offerMuch(HostileLoop from, ConnectionCore over, Greeted to) {
        for (int i = 0; i < 6000; i++) {
            from.send(over, StreamFrame.Type.DATA, to.channel(), OURS, i * OFFERED, CREDIT, OFFERED,
                    AmProtocol.RENDEZVOUS);
            if (i % 100 == 0) {
                friendIsServed();
            }
        }
    }

    /** The socket says that the channel is gone, and what it has offered is never there. */
    @Test
    void aResetEndsTheChannelThoughItsDataIsNeverServed() throws IOException {
        connectOverTcp(WINDOW);
        data(0, OFFERED, AmProtocol.RENDEZVOUS);
        await().atMost(LIMIT).until(() -> {
            friendIsServed();
            return server().receivedBytes() % 1000 == OFFERED % 1000;
        });
        channel.socket().setSoLinger(true, 0);
        channel.close();
        await().atMost(LIMIT).until(() -> server().channels() == 1);
    }

    @Test
    void channelsWithoutALinkEndInTime() throws IOException {
        List<Greeted> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(HostileLoop.greet(address, i, i));
        }
        friendIsServed();
        for (Greeted each : all) {
            hostile.open(link, each.channel(), each.id(), each.token() + 1, CREDIT);
            hostile.step();
        }
        await().atMost(LIMIT).until(() -> server().channels() <= 2);
        for (Greeted each : all) {
            each.close();
        }
    }
}
