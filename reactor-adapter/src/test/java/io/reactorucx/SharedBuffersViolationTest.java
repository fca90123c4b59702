package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.internal.frame.MappedFrame;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Peers that say about mapped memory what is not so: it costs them their connection, and nobody else anything. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class SharedBuffersViolationTest implements NeedsUcx {

    private static final int SLAB_BYTES = 4 << 20;

    private Peers peers;

    @BeforeEach
    void connect() {
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS, UnaryOperator.identity(), UnaryOperator.identity(),
                UnaryOperator.identity());
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private void send(byte[] behindToken) {
        RawFrames.send(peers.clientResources(), ReservedMessageIds.MAPPED, MemorySegment.ofArray(behindToken),
                Bytes.zeroed(0), AmProtocol.EAGER, true);
    }

    private static ByteBuffer slab(int number, long bytes, int descriptor, int word) {
        return ByteBuffer.allocate(45).putInt(number).putLong(bytes).putInt(descriptor).putInt(word).putLong(0)
                .put(new byte[SharedPages.KEY_BYTES]).put(MappedFrame.SLAB);
    }

    private static ByteBuffer offer(int id, int slab, long offset, long length) {
        return ByteBuffer.allocate(MappedFrame.OFFER_BYTES).putShort((short) id).putInt(1).putInt(slab)
                .putLong(offset).putLong(length).put(MappedFrame.OFFER);
    }

    /** What no honest peer says. */
    enum Violation {
        UNKNOWN_TYPE(ByteBuffer.allocate(5).putInt(1).put((byte) 99)),
        NO_TYPE(ByteBuffer.allocate(1)),
        SHORT_SLAB(ByteBuffer.allocate(9).putLong(SLAB_BYTES).put(MappedFrame.SLAB)),
        LONG_TAKEN(ByteBuffer.allocate(9).putLong(1).put(MappedFrame.TAKEN)),
        SLAB_OF_NOTHING(slab(1, 0, 3, 0)),
        NEGATIVE_SLAB(slab(1, -SLAB_BYTES, 3, 0)),
        SMALLEST_SLAB(slab(1, Long.MIN_VALUE, 3, 0)),
        HUGE_SLAB(slab(1, 1L << 62, 3, 0)),
        ODD_SLAB(slab(1, SLAB_BYTES + 4096, 3, 0)),
        NEGATIVE_WORD(slab(1, SLAB_BYTES, 3, -1)),
        WORD_PAST_THE_END(slab(1, SLAB_BYTES, 3, SharedPages.WORDS)),
        OFFER_WITHOUT_A_SLAB(offer(ReservedMessageIds.MESSAGES, 77, 0, 10)),
        SHORT_OFFER(ByteBuffer.allocate(20).putInt(1).putLong(2).putInt(3).putShort((short) 1).put((byte) 0)
                .put(MappedFrame.OFFER));

        private final byte[] frame;

        Violation(ByteBuffer frame) {
            this.frame = frame.array();
        }
    }

    @ParameterizedTest
    @EnumSource
    void costsTheConnection(Violation violation) {
        UcxConnection honest = peers.connect();
        UcxConnection servedHonest = peers.nextServed();
        honest.disposeNow();
        servedHonest.onDispose().block(Waits.PATIENCE);

        send(violation.frame);

        peers.served().onDispose().block(Waits.PATIENCE);
        assertThat(peers.serverResources().droppedMessages(DropReason.GARBAGE)).isOne();
        assertThat(peers.serverResources().buffers().mappedBytes()).isZero();
        UcxConnection next = peers.connect();
        Peers.assertWorks(next, peers.nextServed());
    }

    @ParameterizedTest
    @EnumSource
    void offersOfASlabHaveToBeWithinIt(Outside outside) {
        SharedBuffersTest.mapASlab(peers);
        assertThat(peers.serverResources().buffers().mappedBytes()).isEqualTo(SLAB_BYTES);

        send(outside.frame);

        peers.served().onDispose().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> peers.serverResources().buffers().mappedBytes() == 0);
    }

    /** Offers of the first slab that a connection has announced. */
    enum Outside {
        PAST_THE_END(offer(ReservedMessageIds.MESSAGES, 1, SLAB_BYTES - 10, 11)),
        BEFORE_THE_START(offer(ReservedMessageIds.MESSAGES, 1, -1, 10)),
        NEGATIVE_LENGTH(offer(ReservedMessageIds.MESSAGES, 1, 0, -1)),
        OVERFLOW(offer(ReservedMessageIds.MESSAGES, 1, Long.MAX_VALUE, Long.MAX_VALUE)),
        OFFER_OF_AN_OFFER(offer(ReservedMessageIds.MAPPED, 1, 0, 10)),
        ANNOUNCED_AGAIN(slab(1, SLAB_BYTES, 3, 0));

        private final byte[] frame;

        Outside(ByteBuffer frame) {
            this.frame = frame.array();
        }
    }

    @Test
    void anOfferForNoProtocolIsDropped() {
        SharedBuffersTest.mapASlab(peers);

        send(offer(7, 1, 0, 10).array());

        await().atMost(Waits.PATIENCE)
                .until(() -> peers.serverResources().droppedMessages(DropReason.NO_RECEIVER) == 1);
        peers.assertWorks();
    }

    @Test
    void answersToNothingAreIgnored() {
        send(ByteBuffer.allocate(5).putInt(4711).put(MappedFrame.TAKEN).array());
        send(ByteBuffer.allocate(6).putInt(4711).put((byte) 1).put(MappedFrame.SLAB_ANSWER).array());
        send(ByteBuffer.allocate(5).putInt(4711).put(MappedFrame.SLAB_GONE).array());

        peers.assertWorks();
    }

    @Test
    void noOtherFileIsMapped(@TempDir Path folder) throws IOException, InterruptedException {
        Path regular = Files.write(folder.resolve("regular"), new byte[SLAB_BYTES + (64 << 10)]);
        Path fifo = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        try (FileInputStream file = new FileInputStream(regular.toFile());
                RandomAccessFile pipe = new RandomAccessFile(fifo.toFile(), "rw")) {
            assertThat(file.getFD().valid() && pipe.getFD().valid()).isTrue();
            List<Integer> descriptors = descriptors();
            assertThat(descriptors).hasSizeGreaterThan(3);
            int number = 100;
            for (int descriptor : descriptors) {
                send(slab(number++, SLAB_BYTES, descriptor, 0).array());
            }
            send(slab(number++, SLAB_BYTES, -1, 0).array());
            send(slab(number++, SLAB_BYTES, Integer.MAX_VALUE, 0).array());
            peers.assertWorks();

            assertThat(peers.serverResources().buffers().refusedMappings()).isEqualTo(number - 100L);
            assertThat(peers.serverResources().buffers().mappedBytes()).isZero();
        }
    }

    /** The open files of this process, in which both peers are. */
    private static List<Integer> descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.map(path -> Integer.parseInt(path.getFileName().toString())).toList();
        }
    }
}
