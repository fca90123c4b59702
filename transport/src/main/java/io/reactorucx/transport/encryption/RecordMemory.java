package io.reactorucx.transport.encryption;

import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.UcxArena;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.shm.LargePages;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.record.BulkSealer;
import io.reactorucx.transport.record.RecordSealer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one engine's encryption: arrays for what is encrypted and decrypted now, since the JDK's ciphers are
 * several times as fast there as in native memory, and native memory for what is on its way. That is not of the pool,
 * which may be full of what waits to be encrypted.
 *
 * <p>Thread: engine.
 */
final class RecordMemory {

    /** This part of the most bytes is kept while nothing is in it. */
    private static final int KEPT_PART = 2;
    private static final int ALIGNMENT = 64;
    private static final long SMALLEST_BLOCK_BYTES = 256;

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

    /** Blocks with nothing in them, by their size. */
    private final Map<Long, Deque<Block>> kept = new HashMap<>();
    private final FairLimit limit;
    private final AtomicLong bytes;
    private long keptBytes;
    private boolean closed;

    /** Native memory: large one is mapped, and unmapped with its arena, since Java frees none before it collects. */
    record Block(MemorySegment memory, @Nullable UcxArena arena) {

        long bytes() {
            return memory.byteSize();
        }
    }

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

    /** Returns a block of at least that size, or throws with a retryable status where the system has no memory. */
    Block take(long size) {
        long blockBytes = size > LargePages.BYTES / 2 ? Math.ceilDiv(size, LargePages.BYTES) * LargePages.BYTES
                : Math.max(SMALLEST_BLOCK_BYTES, Long.highestOneBit(Math.max(1, size) * 2 - 1));
        Deque<Block> free = kept.get(blockBytes);
        Block block = free == null ? null : free.pollFirst();
        if (block == null) {
            block = allocate(blockBytes);
            bytes.setOpaque(bytes.getPlain() + blockBytes);
        } else {
            keptBytes -= blockBytes;
        }
        return block;
    }

    private static Block allocate(long blockBytes) {
        try {
            if (blockBytes < LargePages.BYTES) {
                return new Block(Arena.ofAuto().allocate(blockBytes, ALIGNMENT), null);
            }
            UcxArena arena = UcxArena.ofShared();
            return new Block(LargePages.allocate(blockBytes, arena), arena);
        } catch (OutOfMemoryError e) {
            throw new UcxException(UcxStatus.NO_RESOURCE, "am_send", null, "no memory for " + blockBytes
                    + " bytes of encrypted data", e);
        }
    }

    /** Takes a block back that UCX uses no longer. */
    void give(Block block) {
        if (!closed && keptBytes + block.bytes() <= limit.limit() / KEPT_PART) {
            keptBytes += block.bytes();
            kept.computeIfAbsent(block.bytes(), size -> new ArrayDeque<>()).addFirst(block);
        } else {
            free(block);
        }
    }

    private void free(Block block) {
        bytes.setOpaque(bytes.getPlain() - block.bytes());
        UcxArena arena = block.arena();
        if (arena != null) {
            arena.closeAsync();
        }
    }

    /** The engine has ended: what UCX may still use is freed when it is given back. */
    void close() {
        closed = true;
        kept.values().forEach(blocks -> blocks.forEach(this::free));
        kept.clear();
        keptBytes = 0;
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
