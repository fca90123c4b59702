package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.DuplexConnection;
import io.rsocket.frame.FrameHeaderCodec;
import io.rsocket.frame.FrameType;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Frames of several threads on a connection alone: small ones in batches, and large ones that the peer fetches. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class FrameOrderTest {

    private static final int THREADS = 4;
    private static final int FRAMES = 2000;
    private static final int TYPE_SHIFT = 10;
    private static final int HEAD = FrameHeaderCodec.size() + 2 * Integer.BYTES;
    private static final int LARGEST = 100_000;
    /** One frame in so many is large. */
    private static final int LARGE_SHARE = 20;

    private final AtomicIntegerArray received = new AtomicIntegerArray(THREADS);
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();

    /** A frame with its thread, its number, and bytes that follow from both. */
    private static ByteBuf frame(int thread, int number, int length) {
        ByteBuf frame = length % 2 == 0 ? Unpooled.directBuffer(length) : Unpooled.buffer(length);
        frame.writeInt(2 * thread + 1).writeShort(FrameType.REQUEST_FNF.getEncodedType() << TYPE_SHIFT);
        frame.writeInt(thread).writeInt(number);
        for (int i = HEAD; i < length; i++) {
            frame.writeByte(i + number);
        }
        return frame;
    }

    private void receive(ByteBuf frame) {
        frame.skipBytes(FrameHeaderCodec.size());
        int thread = frame.readInt();
        int number = frame.readInt();
        int expected = received.getAndIncrement(thread);
        if (number != expected) {
            faults.add("thread " + thread + ": " + number + " instead of " + expected);
        }
        for (int i = HEAD; frame.isReadable(); i++) {
            if (frame.readByte() != (byte) (i + number)) {
                faults.add("thread " + thread + ": byte " + i + " of " + number);
                return;
            }
        }
    }

    private static void send(DuplexConnection connection, int thread, Queue<ByteBuf> sent) {
        Random random = new Random(thread);
        for (int number = 0; number < FRAMES; number++) {
            int length = HEAD + random.nextInt(number % LARGE_SHARE == 0 ? LARGEST : LARGE_SHARE * LARGE_SHARE);
            ByteBuf frame = frame(thread, number, length);
            sent.add(frame);
            connection.sendFrame(2 * thread + 1, frame);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix,sysv", "tcp"})
    void framesOfAThreadStayInOrderWhateverTheirSize(String transports) throws InterruptedException {
        Queue<ByteBuf> sent = new ConcurrentLinkedQueue<>();
        try (TestResources resources = new TestResources(transports)) {
            UcxBoundTransport server = UcxServerTransport.create(resources.server(), TestResources.HOST, 0)
                    .start(connection -> {
                        connection.receive().subscribe(this::receive);
                        return Mono.empty();
                    }).block(TestResources.LIMIT);
            DuplexConnection client = UcxClientTransport.create(resources.client(), TestResources.HOST,
                    server.address().getPort()).maxQueuedBytes(1L << 30).connect().block(TestResources.LIMIT);
            assertThat(client.remoteAddress()).isEqualTo(new InetSocketAddress(TestResources.HOST,
                    server.address().getPort()));
            assertThat(client.availability()).isOne();

            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                threads.add(Thread.ofPlatform().start(() -> send(client, thread, sent)));
            }
            for (Thread each : threads) {
                each.join();
            }
            await().atMost(TestResources.LIMIT).until(() -> {
                int sum = 0;
                for (int i = 0; i < THREADS; i++) {
                    sum += received.get(i);
                }
                return sum == THREADS * FRAMES;
            });

            assertThat(faults).isEmpty();
            client.dispose();
            client.onClose().block(TestResources.LIMIT);
            assertThat(client.availability()).isZero();
            server.dispose();
            server.onClose().block(TestResources.LIMIT);
            resources.awaitNothingLeft();
        }
        assertThat(sent).hasSize(THREADS * FRAMES).allSatisfy(frame -> assertThat(frame.refCnt()).isZero());
    }
}
