package io.reactorucx.transport.encryption;

import io.reactorucx.core.DataPlacement;
import io.reactorucx.transport.record.BulkSealer;
import io.reactorucx.transport.record.RecordSealer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The memory of one engine's encryption: arrays for what is encrypted and decrypted now, since the JDK's ciphers are
 * several times as fast there as in native memory, and native memory for frames that UCX sends later.
 *
 * <p>Thread: engine.
 */
final class RecordMemory {

    /** The most bytes of native memory that are kept while no frame is in it. */
    private static final long MOST_KEPT_BYTES = 1 << 20;
    /** The exponent of the smallest block. */
    private static final int SMALLEST_BLOCK = 8;

    static final int MOST_FRAME_BYTES = RecordFrame.MOST_BEFORE_RECORD + RecordSealer.MAX_BYTES
            + RecordSealer.OVERHEAD_BYTES;

    /** What is to be encrypted. */
    final byte[] plain = new byte[Math.max(RecordSealer.MAX_BYTES, BulkSealer.PART_BYTES)];
    /** What was encrypted. */
    final byte[] sealed = new byte[Math.max(MOST_FRAME_BYTES, BulkSealer.PART_BYTES + BulkSealer.TAG_BYTES)];
    /** What is to be decrypted. */
    final byte[] received = new byte[sealed.length];
    /** What was decrypted. */
    final byte[] opened = new byte[plain.length];

    /** Blocks without a frame, by the exponent of their size. */
    private final List<Deque<MemorySegment>> kept = Stream.generate(ArrayDeque<MemorySegment>::new)
            .limit(Integer.SIZE).map(blocks -> (Deque<MemorySegment>) blocks).toList();
    private long keptBytes;

    /** Returns a block of native memory, with the first bytes of {@link #sealed} at its start. */
    MemorySegment take(int bytes) {
        int exponent = Math.max(SMALLEST_BLOCK, Integer.SIZE - Integer.numberOfLeadingZeros(bytes - 1));
        MemorySegment block = kept.get(exponent).pollFirst();
        if (block == null) {
            block = Arena.ofAuto().allocate(1L << exponent);
        } else {
            keptBytes -= block.byteSize();
        }
        MemorySegment.copy(sealed, 0, block, ValueLayout.JAVA_BYTE, 0, bytes);
        return block;
    }

    /** Takes a block back that UCX uses no longer. */
    void give(MemorySegment block) {
        if (keptBytes + block.byteSize() <= MOST_KEPT_BYTES) {
            keptBytes += block.byteSize();
            kept.get(Long.numberOfTrailingZeros(block.byteSize())).addFirst(block);
        }
    }

    /** What was decrypted, as the source of a message. */
    final DataPlacement.Source openedSource = new DataPlacement.Source() {

        @Override
        public long size() {
            return opened.length;
        }

        @Override
        public void copyTo(long offset, byte[] to, int bytes) {
            System.arraycopy(opened, (int) Objects.checkFromIndexSize(offset, bytes, opened.length), to, 0, bytes);
        }

        @Override
        public void copyTo(long offset, MemorySegment to, long bytes) {
            MemorySegment.copy(MemorySegment.ofArray(opened), offset, to, 0, bytes);
        }
    };
}
