package io.reactorucx.buffer;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.transport.LeakDetection;
import io.reactorucx.transport.buffer.BufferPool;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * A pool of registered native memory. It leases blocks, whose sizes are powers of two, as {@link UcxBuffer}.
 *
 * <p>Memory comes in slabs. Each slab is mapped and registered once, and kept until the pool closes or needs the room
 * for blocks of another size. A block that is larger than a slab is a slab of its own.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> leases go back before the pool closes; {@link LeakDetection} says
 * what becomes of leases that are never released. <b>Errors:</b> {@link UcxStatus#EXCEEDS_LIMIT}, which is retryable,
 * when a lease would exceed the limit of the pool.
 */
public abstract sealed class UcxBufferPool permits LeasePool {

    /** Smallest block in bytes. */
    public static final long MIN_BLOCK_BYTES = BufferPool.MIN_BLOCK_BYTES;

    /** For the implementation. */
    protected UcxBufferPool() {
    }

    /**
     * Leases memory without waiting, even while other subscribers wait. The contents are undefined.
     *
     * @param bytes size, may be 0
     * @return the lease, with one reference
     */
    public abstract UcxBuffer acquire(long bytes);

    /**
     * Leases memory, and waits while the limit leaves no room for it. The subscriber that has waited longest gets the
     * next memory that is released, whatever its size. Signals on the thread that releases it. The contents are
     * undefined.
     *
     * @param bytes size, may be 0
     * @return the lease, with one reference; a cancel ends the wait. {@link UcxStatus#EXCEEDS_LIMIT} when as many
     *     subscribers wait as the resources' builder allows, {@link UcxClosedException} when the pool closes
     */
    public abstract Mono<UcxBuffer> acquireLater(long bytes);

    /**
     * Leases memory and copies an array into it.
     *
     * @param bytes the bytes to copy
     * @return the lease, as long as the array, with one reference
     */
    public final UcxBuffer copyOf(byte[] bytes) {
        UcxBuffer buffer = acquire(Objects.requireNonNull(bytes, "bytes").length);
        buffer.segment().copyFrom(MemorySegment.ofArray(bytes));
        return buffer;
    }

    /** {@return bytes in leased blocks} */
    public abstract long leasedBytes();

    /** {@return leases that are not released; a lease and its slices count once} */
    public abstract int leases();

    /** {@return subscribers that wait for memory} */
    public abstract int waiters();

    /** {@return maximum of {@link #waiters()}} */
    public abstract int maxWaiters();

    /** {@return waits for memory that have ended, by a lease, a cancel or the close of the pool} */
    public abstract long waits();

    /** {@return time of those waits together} */
    public abstract long waitNanos();

    /** {@return leases that became unreachable without a release, as far as {@link LeakDetection} looks} */
    public abstract long leakedLeases();

    /** {@return bytes in slabs, leased or not} */
    public abstract long slabBytes();

    /** {@return maximum number of bytes in slabs} */
    public abstract long maxBytes();

    /** {@return bytes of pools of peers on this host that are mapped here, and of the rings of both sides} */
    public abstract long mappedBytes();

    /** {@return maximum of {@link #mappedBytes()}} */
    public abstract long maxMappedBytes();

    /** {@return slabs of peers that could not be mapped, or not within {@link #maxMappedBytes()}} */
    public abstract long refusedMappings();

    /** {@return large messages that were offered to peers in memory of this pool that they have mapped} */
    public abstract long offeredMessages();

    /** {@return large messages that were copied from pools of peers} */
    public abstract long copiedMessages();
}
