package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** Two loops that each write more than may be on its way between them, before one of them reads. */
class BothWaysTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int CHANNELS = 80;
    private static final int BYTES = 512 << 10;

    private final LongAdder received = new LongAdder();

    /** Counts what comes. */
    private final class Reader extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            received.add(data.readableBytes());
            data.release();
        }
    }

    private final class Readers extends ChannelInitializer<SocketChannel> {

        private final List<Channel> channels = new CopyOnWriteArrayList<>();

        @Override
        protected void initChannel(SocketChannel channel) {
            channels.add(channel);
            channel.pipeline().addLast(new Reader());
        }
    }

    private static void write(List<Channel> channels) {
        for (Channel channel : channels) {
            channel.writeAndFlush(channel.alloc().directBuffer(BYTES).writeZero(BYTES));
        }
    }

    private static void meet(CyclicBarrier both) {
        try {
            both.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitReceived(int writes) {
        await().atMost(LIMIT).until(() -> received.sum() == (long) writes * CHANNELS * BYTES);
    }

    @Test
    void loopsFetchWhatTheOtherOffersWhenTheirOwnOffersTakeAllRoom() {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTransports("shm");
        Readers served = new Readers();
        Readers connected = new Readers();
        try (TestLoops serverLoops = new TestLoops("server", 1, config);
                TestLoops clientLoops = new TestLoops("client", 1, config)) {
            Channel listening = serverLoops.server().childHandler(served)
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
            List<Channel> open = new ArrayList<>();
            for (int i = 0; i < CHANNELS; i++) {
                open.add(clientLoops.client().handler(connected).connect(listening.localAddress())
                        .syncUninterruptibly().channel());
            }
            await().atMost(LIMIT).until(() -> served.channels.size() == CHANNELS);
            // One direction after the other: from now on each side has mapped the other's memory.
            write(connected.channels);
            awaitReceived(1);
            write(served.channels);
            awaitReceived(2);

            CyclicBarrier both = new CyclicBarrier(2);
            for (List<Channel> side : List.of(connected.channels, served.channels)) {
                EventLoop loop = side.getFirst().eventLoop();
                loop.execute(() -> {
                    meet(both);
                    write(side);
                    meet(both);
                });
            }
            awaitReceived(4);

            assertThat(serverLoops.sum(UcxLoopStatistics::sentBytes)).isEqualTo(2L * CHANNELS * BYTES);
            open.forEach(channel -> channel.close().syncUninterruptibly());
            listening.close().syncUninterruptibly();
        }
    }
}
