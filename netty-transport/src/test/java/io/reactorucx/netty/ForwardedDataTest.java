package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.reactorucx.testsupport.TestTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Data that came by memory of both processes: sent on from where it lies, and kept by the application. */
class ForwardedDataTest {

    private static final Duration LIMIT = TestTime.seconds(30);
    private static final int BYTES = 1 << 20;
    private static final int ROUNDS = 12;
    private static final UcxNettyConfig SHARED = UcxNettyConfig.DEFAULT.withTransports("shm");

    /** Sends back what it reads, after it was changed in place. */
    @Sharable
    private static final class Inverter extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            for (int i = data.readerIndex(); i < data.writerIndex(); i++) {
                data.setByte(i, ~data.getByte(i));
            }
            context.writeAndFlush(data);
        }
    }

    /** Keeps what it reads. */
    @Sharable
    private static final class Keeper extends ChannelInboundHandlerAdapter {

        private final List<ByteBuf> kept = new CopyOnWriteArrayList<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            kept.add((ByteBuf) message);
        }

        int bytes() {
            return kept.stream().mapToInt(ByteBuf::readableBytes).sum();
        }

        byte[] take() {
            byte[] all = new byte[bytes()];
            int at = 0;
            for (ByteBuf each : kept) {
                int length = each.readableBytes();
                each.readBytes(all, at, length).release();
                at += length;
            }
            kept.clear();
            return all;
        }
    }

    private static Channel bind(ServerBootstrap server) {
        return server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
    }

    private static double meter(SimpleMeterRegistry registry, String name) {
        return registry.get("reactor.ucx.netty.buffers." + name).gauges().stream().mapToDouble(each -> each.value())
                .sum();
    }

    private static byte[] random(long seed) {
        byte[] bytes = new byte[BYTES];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void whatIsSentOnIsWhatWasWritten() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Keeper answers = new Keeper();
        try (TestLoops serverLoops = new TestLoops("server", 1, SHARED);
                TestLoops clientLoops = new TestLoops("client", 1, SHARED)) {
            new UcxNettyMetrics(serverLoops.factory()).bindTo(registry);
            Channel server = bind(serverLoops.server().childHandler(new Inverter()));
            Channel client = clientLoops.client().handler(answers).connect(server.localAddress())
                    .syncUninterruptibly().channel();
            for (int round = 0; round < ROUNDS; round++) {
                byte[] sent = random(round);
                client.writeAndFlush(client.alloc().directBuffer(BYTES).writeBytes(sent));
                await().atMost(LIMIT).until(() -> answers.bytes() == BYTES);
                byte[] inverted = answers.take();
                for (int i = 0; i < BYTES; i++) {
                    inverted[i] = (byte) ~inverted[i];
                }
                assertThat(inverted).isEqualTo(sent);
            }
            client.close().syncUninterruptibly();
            server.close().syncUninterruptibly();
            serverLoops.awaitNoChannels();
            await().atMost(LIMIT).untilAsserted(() -> assertThat(meter(registry, "leased")).isZero());
        }
    }

    /** More than the pool has, which is then left to what is sent; and for longer than the loop lives. */
    @Test
    void whatAnApplicationKeepsStaysAsItIs() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        long pool = 8L << 20;
        UcxNettyConfig small = SHARED.withBuffers(pool, true);
        Keeper keeper = new Keeper();
        List<byte[]> sent = new ArrayList<>();
        try (TestLoops serverLoops = new TestLoops("server", 1, small);
                TestLoops clientLoops = new TestLoops("client", 1, SHARED)) {
            new UcxNettyMetrics(serverLoops.factory()).bindTo(registry);
            Channel server = bind(serverLoops.server().childHandler(keeper));
            Channel client = clientLoops.client().handler(new Keeper()).connect(server.localAddress())
                    .syncUninterruptibly().channel();
            for (int round = 0; round < ROUNDS; round++) {
                sent.add(random(round));
                client.writeAndFlush(client.alloc().directBuffer(BYTES).writeBytes(sent.getLast()));
            }
            await().atMost(LIMIT).until(() -> keeper.bytes() == ROUNDS * BYTES);
            assertThat(meter(registry, "leased")).isBetween(1.0, pool / 2.0);
            client.close().syncUninterruptibly();
        }
        byte[] kept = keeper.take();
        for (int round = 0; round < ROUNDS; round++) {
            assertThat(Arrays.copyOfRange(kept, round * BYTES, (round + 1) * BYTES)).isEqualTo(sent.get(round));
        }
    }
}
