package io.reactorucx.transport.encryption;

import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.record.BulkSealer;
import io.reactorucx.transport.record.RecordSealer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The memory of one engine's encryption: arrays for what is encrypted and decrypted now, since the JDK's ciphers are
 * several times as fast there as in native memory, and native memory for what is on its way. That is not of the pool,
 * which may be full of what waits to be encrypted.
 *
 * <p>Thread: engine.
 */
final class RecordMemory {

    /** This part of the most bytes is kept while nothing is in it. */
    private static final int KEPT_PART = 8;
    private static final int ALIGNMENT = 64;
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
            .limit(Long.SIZE).map(blocks -> (Deque<MemorySegment>) blocks).toList();
    private final FairLimit limit;
    private final AtomicLong bytes;
    private long keptBytes;

    /**
     * Creates the memory.
     *
     * @param limit what large messages may have under way
     * @param bytes is set to what there is of native memory
     */
    RecordMemory(FairLimit limit, AtomicLong bytes) {
        this.limit = limit;
        this.bytes = bytes;
    }

    /** Takes a part of the limit for a peer, or throws with a retryable status; a message beyond a share goes alone. */
    void acquire(PeerOrigin peer, long wanted) {
        if (!limit.tryAcquireAlone(peer, wanted)) {
            throw new UcxException(UcxStatus.NO_RESOURCE, "am_send", null, limit.count(peer) + " bytes of encrypted"
                    + " messages to this peer, and " + limit.count() + " to all, have not been fetched yet: with "
                    + wanted + " more it would be above " + limit.share() + " or " + limit.limit());
        }
    }

    void release(PeerOrigin peer, long amount) {
        limit.release(peer, amount);
    }

    /** Returns a block of native memory of at least that size. */
    MemorySegment take(long size) {
        int exponent = Math.max(SMALLEST_BLOCK, Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, size) - 1));
        MemorySegment block = kept.get(exponent).pollFirst();
        if (block == null) {
            block = Arena.ofAuto().allocate(1L << exponent, ALIGNMENT);
            bytes.setOpaque(bytes.getPlain() + block.byteSize());
        } else {
            keptBytes -= block.byteSize();
        }
        return block;
    }

    /** Takes a block back that UCX uses no longer. */
    void give(MemorySegment block) {
        if (keptBytes + block.byteSize() <= limit.limit() / KEPT_PART) {
            keptBytes += block.byteSize();
            kept.get(Long.numberOfTrailingZeros(block.byteSize())).addFirst(block);
        } else {
            bytes.setOpaque(bytes.getPlain() - block.byteSize());
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
