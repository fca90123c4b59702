package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SingleThreadIoEventLoop;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.testsupport.WalkRecorder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Writes 8 bytes at a time from one channel to another over shared memory, on the writer's loop. */
public final class WalkedLoops implements WalkRecorder.Program {

    private static final int SIZE = 8;
    private static final long LIMIT_SECONDS = TestTime.seconds(20).toSeconds();

    private volatile CompletableFuture<Void> arrival = new CompletableFuture<>();
    private volatile boolean ended;

    /** Made by {@link WalkRecorder#run}. */
    public WalkedLoops() {
    }

    @Override
    public void run(WalkRecorder recorder) {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTransports("posix", "self");
        try (TestLoops serving = new TestLoops("walked-server", 1, config);
                TestLoops connecting = new TestLoops("walked-client", 1, config)) {
            CompletableFuture<Channel> accepted = new CompletableFuture<>();
            Channel server = serving.server().childHandler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Reader());
                    accepted.complete(channel);
                }
            }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
            Channel client = connecting.client().handler(new ChannelInboundHandlerAdapter())
                    .connect(server.localAddress()).syncUninterruptibly().channel();
            recorder.watch("writer", spinning(client));
            recorder.watch("reader", spinning(accepted.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join()));

            recorder.record("write", () -> write(client));

            ended = true;
            client.close().syncUninterruptibly();
            server.close().syncUninterruptibly();
        }
    }

    /** A loop that has tasks does not sleep; one task more in each round leaves the rounds as they are. */
    private Thread spinning(Channel channel) {
        SingleThreadIoEventLoop loop = (SingleThreadIoEventLoop) channel.eventLoop();
        loop.execute(() -> loop.executeAfterEventLoopIteration(() -> again(loop)));
        return loop.submit(Thread::currentThread).syncUninterruptibly().getNow();
    }

    private void again(SingleThreadIoEventLoop loop) {
        if (!ended) {
            Thread.yield();
            loop.execute(() -> loop.executeAfterEventLoopIteration(() -> again(loop)));
        }
    }

    private CompletableFuture<Void> write(Channel channel) {
        CompletableFuture<Void> written = new CompletableFuture<>();
        arrival = new CompletableFuture<>();
        channel.eventLoop().execute(() -> channel.writeAndFlush(channel.alloc().directBuffer(SIZE).writeZero(SIZE))
                .addListener(write -> written.complete(null)));
        return CompletableFuture.allOf(written, arrival);
    }

    private final class Reader extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((ByteBuf) message).release();
            arrival.complete(null);
        }
    }
}
