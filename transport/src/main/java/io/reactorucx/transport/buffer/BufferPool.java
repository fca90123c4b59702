package io.reactorucx.transport.buffer;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of registered native memory. It leases blocks, whose sizes are powers of two: counts the leases, watches them
 * for leaks, and frees the slabs with the last lease after its close. One lock guards the pool, its
 * {@link SlabAllocator} and its {@link AcquireQueue}.
 *
 * <p>Thread: any.
 */
public final class BufferPool {

    /** The smallest slab in bytes; the size of each is a power of two. */
    public static final long SLAB_BYTES = SlabAllocator.SLAB_BYTES;

    /** The smallest block in bytes. */
    public static final long MIN_BLOCK_BYTES = SlabAllocator.MIN_BLOCK_BYTES;

    private static final Logger LOG = LoggerFactory.getLogger(BufferPool.class);

    /** Closed pools with watched leases: kept reachable, so that the {@link LeakReaper} can still reclaim these. */
    private static final Set<BufferPool> OUTLIVED = ConcurrentHashMap.newKeySet();

    private final LeaseFactory factory;
    private final Consumer<LeakTracker> whenUnreachable = this::unreachable;
    private final LeakReporter leaks;
    private final MappedMemory mapped;
    private final ReentrantLock lock = new ReentrantLock();
    private final SlabAllocator slabs;
    private final AcquireQueue queue;
    private long leasedBytes;
    private int leases;
    private @Nullable Runnable whenEmpty;

    /**
     * Creates a pool.
     *
     * @param factory makes the leases
     * @param sharing whether peers of this host may map the memory to read it
     * @param maxMappedBytes as many bytes of pools of peers and of rings may be mapped here
     */
    public BufferPool(UcpContext context, LeaseFactory factory, long maxBytes, int maxWaiters, boolean sharing,
            long maxMappedBytes, LeakReporter leaks) {
        this.factory = factory;
        this.leaks = leaks;
        this.mapped = new MappedMemory(maxMappedBytes);
        this.slabs = new SlabAllocator(context, checkMaxBytes(maxBytes), sharing, lock);
        this.queue = new AcquireQueue(this, checkMaxWaiters(maxWaiters), lock, this::leased);
    }

    public static long checkMaxBytes(long bytes) {
        if (bytes < SlabAllocator.SLAB_BYTES) {
            throw new IllegalArgumentException("maxBufferBytes " + bytes + ": must be at least one slab, "
                    + SlabAllocator.SLAB_BYTES);
        }
        return bytes;
    }

    public static int checkMaxWaiters(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("maxBufferWaiters " + count + ": must be at least 0");
        }
        return count;
    }

    /** Returns what may be mapped of pools of peers, and of rings. */
    public MappedMemory mapped() {
        return mapped;
    }

    /** Whether peers of this host may map the memory. */
    public boolean isSharing() {
        return slabs.isSharing();
    }

    /** Returns the slab of a lease's registration; null when peers of this host cannot map it. */
    public @Nullable SharedSlab sharedSlab(UcpMemory registration) {
        lock.lock();
        try {
            return slabs.shared(registration);
        } finally {
            lock.unlock();
        }
    }

    /** Records the place of this call for the report of a leak. Returns null where places are not recorded. */
    public @Nullable LeakRecord place() {
        return leaks.place("allocated");
    }

    /** Leases memory without waiting, even while others wait. The contents are undefined. */
    public Lease acquire(long bytes) {
        return acquire(bytes, place());
    }

    /** As {@link #acquire(long)}, for a caller that recorded the place of the request before, or has none. */
    public Lease acquire(long bytes, @Nullable LeakRecord place) {
        Lease lease = null;
        lock.lock();
        try {
            // Refuses a size that no lease can have.
            lease = tryLease(bytes, place);
            if (lease == null) {
                throw noRoom(bytes);
            }
            return lease;
        } finally {
            if (lease == null) {
                unlockAndServe();
            } else {
                lock.unlock();
            }
        }
    }

    private RuntimeException noRoom(long bytes) {
        return slabs.isClosed() ? new IllegalStateException("buffer pool: it is closed")
                : exceeded(1L << slabs.sizeClass(bytes), leasedBytes + " bytes of the pool's " + maxBytes()
                        + " are leased, " + slabs.bytes() + " are in slabs");
    }

    /** Unlocks. A slab that could not be made gave room back without a release, so nothing else serves the waiters. */
    void unlockAndServe() {
        boolean serve = slabs.pollRoomGivenBack();
        lock.unlock();
        if (serve) {
            queue.serve();
        }
    }

    static UcxException exceeded(long bytes, String why) {
        return new UcxException(UcxStatus.EXCEEDS_LIMIT, "acquire of " + bytes + " bytes", null, why);
    }

    /** Refuses a size that no lease of this pool can have. */
    public void checkBytes(long bytes) {
        slabs.sizeClass(bytes);
    }

    AcquireQueue queue() {
        return queue;
    }

    /** Returns what warns of memory that stays leased while others wait for it. */
    public MemoryWatch watch() {
        return queue.watch();
    }

    /** Returns a lease, or null when there is no room or the pool is closed. Thread: holds the lock. */
    @Nullable Lease tryLease(long bytes, @Nullable LeakRecord place) {
        BufferSlab.Block block = slabs.take(slabs.sizeClass(bytes));
        if (block == null) {
            return null;
        }
        leasedBytes += block.memory().byteSize();
        leases++;
        if (!leaks.watchesNextLease()) {
            return factory.lease(new SharedLease(this, block, null), block.memory().asSlice(0, bytes));
        }
        Object companion = new Object();
        LeakTracker tracker = new LeakTracker(companion, whenUnreachable, block, bytes, place,
                leaks.trace());
        block.slab().watch(tracker);
        return leaseOf(new SharedLease(this, block, tracker), block.view(bytes, companion));
    }

    Lease leaseOf(SharedLease shared, MemorySegment part) {
        return factory.lease(shared, part);
    }

    boolean isClosed() {
        return slabs.isClosed();
    }

    static UcxClosedException closedException() {
        return new UcxClosedException("acquire", null, "the buffer pool is closed");
    }

    /** Takes a block back from its last sharer. */
    void release(SharedLease lease) {
        LeakTracker tracker = lease.tracker();
        Runnable then;
        lock.lock();
        try {
            then = tracker == null || end(tracker) ? takeBack(lease.block()) : null;
        } finally {
            lock.unlock();
        }
        if (then != null) {
            then.run();
        }
    }

    /** Takes a block back whose lease is unreachable, and reports a leak unless the lease was released meanwhile. */
    private void unreachable(LeakTracker tracker) {
        boolean leaked;
        Runnable then;
        lock.lock();
        try {
            leaked = end(tracker);
            then = leaked ? takeBack(tracker.block()) : null;
        } finally {
            lock.unlock();
        }
        if (leaked) {
            tracker.report(leaks);
        }
        if (then != null) {
            then.run();
        }
    }

    /** Ends a tracker. Returns whether it had not ended before. */
    private static boolean end(LeakTracker tracker) {
        // The garbage collector need not report it any more.
        tracker.clear();
        return tracker.block().slab().unwatch(tracker);
    }

    /** Takes a block back. Returns the action to run after the lock is released, or null. */
    private @Nullable Runnable takeBack(BufferSlab.Block block) {
        leasedBytes -= block.memory().byteSize();
        leases--;
        slabs.give(block);
        if (leasedBytes <= maxBytes() / 2) {
            queue.watch().recovered();
        }
        Runnable afterLast = whenEmpty;
        if (leases == 0 && afterLast != null) {
            OUTLIVED.remove(this);
            slabs.freeIdle();
            return afterLast;
        }
        return queue.isEmpty() ? null : queue::serve;
    }

    /** Returns what the application holds, for the log. */
    private String leased() {
        return leases() + " leases of " + leasedBytes() + " bytes, of the pool's " + maxBytes();
    }

    private long locked(LongSupplier value) {
        lock.lock();
        try {
            return value.getAsLong();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the bytes in leased blocks. */
    public long leasedBytes() {
        return locked(() -> leasedBytes);
    }

    /** Returns the leases that are not released; a lease and its slices count once. */
    public int leases() {
        return (int) locked(() -> leases);
    }

    /** Returns those that wait for memory. */
    public int waiters() {
        return (int) locked(queue::size);
    }

    /** Returns the maximum of {@link #waiters()}. */
    public int maxWaiters() {
        return queue.maxWaiters();
    }

    /** Returns the waits for memory that have ended, by a lease, a cancel or the close of the pool. */
    public long waits() {
        return queue.waits().waits();
    }

    /** Returns the time of those waits together. */
    public long waitNanos() {
        return queue.waits().nanos();
    }

    /** Returns the leases that became unreachable without a release, as far as leak detection looks. */
    public long leakedLeases() {
        return leaks.leases();
    }

    /** Returns the bytes in slabs, leased or not. */
    public long slabBytes() {
        return locked(slabs::bytes);
    }

    /** Returns the maximum number of bytes in slabs. */
    public long maxBytes() {
        return slabs.maxBytes();
    }

    /** Returns the size of the largest lease. */
    public long maxLeaseBytes() {
        return Long.highestOneBit(maxBytes());
    }

    /** Returns the bytes of pools of peers on this host that are mapped here, and of rings. */
    public long mappedBytes() {
        return mapped.bytes();
    }

    /** Returns the maximum of {@link #mappedBytes()}. */
    public long maxMappedBytes() {
        return mapped.maxBytes();
    }

    /** Returns the slabs of peers that could not be mapped, or not within {@link #maxMappedBytes()}. */
    public long refusedMappings() {
        return mapped.refused();
    }

    /** Returns the large messages that were offered to peers in memory of this pool that they have mapped. */
    public long offeredMessages() {
        return mapped.offered();
    }

    /** Returns the large messages that were copied from pools of peers. */
    public long copiedMessages() {
        return mapped.copied();
    }

    /**
     * Closes the pool and fails its waiters. Its memory is freed with the last lease; then the action runs. Leases that
     * are still out are an error of the application.
     */
    public void close(Runnable afterLast) {
        close(afterLast, false);
    }

    /** As {@link #close(Runnable)}, of a pool whose leases may outlive it. */
    public void closeWithLast(Runnable afterLast) {
        close(afterLast, true);
    }

    private void close(Runnable afterLast, boolean mayOutlive) {
        List<PendingAcquire> waiting;
        boolean empty;
        lock.lock();
        try {
            slabs.close();
            waiting = queue.drain();
            slabs.awaitMaking();
            empty = leases == 0;
            if (empty) {
                slabs.freeIdle();
            } else {
                if (!mayOutlive) {
                    LOG.error("Buffer pool closed with {} leases of {} bytes still out", leases, leasedBytes);
                }
                whenEmpty = afterLast;
                if (slabs.isWatched()) {
                    OUTLIVED.add(this);
                }
            }
        } finally {
            lock.unlock();
        }
        waiting.forEach(waiter -> waiter.end(null, closedException()));
        if (empty) {
            afterLast.run();
        }
    }
}
