package io.reactorucx.examples.soak.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.reactorucx.examples.soak.Tallies;
import io.reactorucx.examples.soak.Tally;
import io.reactorucx.examples.soak.Tally.End;
import io.reactorucx.netty.UcxSocketChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Channels that connect at a rate, echo 8 bytes, and close. */
final class ConnectTraffic implements NettyTraffic {

    private static final String NAME = "connects";
    /** The rest waits until some of them have ended. */
    private static final int MAX_OPEN = 2000;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration LOST_AFTER = Duration.ofSeconds(30);
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SoakLoops loops;
    private final int port;
    private final double rate;
    private final AtomicInteger open = new AtomicInteger();

    ConnectTraffic(SoakLoops loops, int port, double rate) {
        this.loops = loops;
        this.port = port;
        this.rate = rate;
    }

    @Override
    public void run(Duration time, SplittableRandom random, Tallies tallies) {
        Tally tally = tallies.of(NAME);
        Bootstrap bootstrap = new Bootstrap().group(loops.group()).channel(UcxSocketChannel.class);
        long start = System.nanoTime();
        long begun = 0;
        for (long now = 0; now < time.toNanos(); now = System.nanoTime() - start) {
            if (begun < now / NANOS * rate && open.get() < MAX_OPEN) {
                connect(bootstrap, new Echo(random.nextLong(), tally));
                begun++;
            } else {
                LockSupport.parkNanos(STEP_NANOS);
            }
        }
        long end = System.nanoTime();
        System.out.printf("connects: %d in %d s, %.0f of %.0f a second%n", begun, time.toSeconds(),
                begun * NANOS / (end - start), rate);
        while (open.get() > 0 && System.nanoTime() - end < LOST_AFTER.toNanos()) {
            LockSupport.parkNanos(STEP_NANOS);
        }
        // The lost channels stay counted as open: one that still ends takes itself away.
        int lost = open.get();
        for (int i = 0; i < lost; i++) {
            tally.ended(End.LOST);
        }
    }

    private void connect(Bootstrap bootstrap, Echo echo) {
        open.incrementAndGet();
        echo.tally.begun();
        bootstrap.clone().handler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(echo);
                channel.closeFuture().addListener(closed -> open.decrementAndGet());
            }
        }).connect(NettySoak.HOST, port).addListener((ChannelFutureListener) connected -> {
            if (!connected.isSuccess()) {
                echo.end(connected.cause());
                connected.channel().close();
            }
        });
    }

    /** Sends a number when it is connected, and closes when it is back. */
    private static final class Echo extends ChannelInboundHandlerAdapter {

        private final long number;
        private final Tally tally;
        private final Content content;
        private int received;
        private boolean ended;

        Echo(long number, Tally tally) {
            this.number = number;
            this.tally = tally;
            content = new Content(number);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(Content.part(context.alloc(), number, 0, Long.BYTES)).addListener(
                    ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            received += content.take((ByteBuf) message);
            if (received == Long.BYTES) {
                end(null);
                context.close();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end(new IOException("closed before the echo"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            end(cause);
            context.close();
        }

        private void end(@Nullable Throwable cause) {
            if (ended) {
                return;
            }
            ended = true;
            if (cause == null) {
                tally.delivered(Long.BYTES);
            } else if (cause instanceof Content.WrongContentException) {
                tally.ended(End.CORRUPT);
            } else {
                tally.failed(cause);
            }
        }
    }
}
