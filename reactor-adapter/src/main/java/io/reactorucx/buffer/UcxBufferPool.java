package io.reactorucx.buffer;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.buffer.BufferSlab;
import io.reactorucx.internal.buffer.LeakRecord;
import io.reactorucx.internal.buffer.LeakReporter;
import io.reactorucx.internal.buffer.LeakTracker;
import io.reactorucx.internal.buffer.PendingAcquire;
import io.reactorucx.internal.buffer.SharedLease;
import io.reactorucx.internal.buffer.SlabAllocator;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Registered native memory in blocks of a power of two, leased as {@link UcxBuffer}.
 *
 * <p>Memory comes in slabs, each mapped and registered once and kept until the pool closes or needs the room for blocks
 * of another size. A block that is larger than a slab is a slab of its own.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> leases go back before the pool closes; what becomes of those that
 * nobody releases says {@link LeakDetection}. <b>Errors:</b> past its limit {@link UcxStatus#EXCEEDS_LIMIT}, which is
 * retryable.
 */
public final class UcxBufferPool {

    /** Smallest block in bytes. */
    public static final long MIN_BLOCK_BYTES = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(UcxBufferPool.class);

    /** Closed ones of which watched leases are out: reachable, so that even those come back. */
    private static final Set<UcxBufferPool> OUTLIVED = ConcurrentHashMap.newKeySet();

    private final long maxBytes;
    private final int maxWaiters;
    private final LeakReporter leaks;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition slabMade = lock.newCondition();
    private final SlabAllocator slabs;
    private final Deque<PendingAcquire> waiters = new ArrayDeque<>();
    private final AtomicInteger serving = new AtomicInteger();
    private long leasedBytes;
    private int leases;
    private boolean closed;
    private boolean roomAgain;
    private @Nullable Runnable afterLast;

    public UcxBufferPool(UcpContext context, long maxBytes, int maxWaiters, LeakReporter leaks) {
        this.maxBytes = checkMaxBytes(maxBytes);
        this.maxWaiters = checkMaxWaiters(maxWaiters);
        this.leaks = leaks;
        this.slabs = new SlabAllocator(context, maxBytes);
    }

    public static long checkMaxBytes(long bytes) {
        if (bytes < SlabAllocator.SLAB_BYTES) {
            throw new IllegalArgumentException("maxBufferBytes " + bytes + ": at least one slab, "
                    + SlabAllocator.SLAB_BYTES);
        }
        return bytes;
    }

    public static int checkMaxWaiters(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("maxBufferWaiters " + count + ": at least 0");
        }
        return count;
    }

    /**
     * Leases memory; its contents are whatever was there. Does not wait, and takes what is there also while others do.
     *
     * @param bytes size, may be 0
     * @return the lease, with one reference
     */
    public UcxBuffer acquire(long bytes) {
        return acquire(bytes, place());
    }

    /** Where this call comes from, to tell when the lease leaks, if that is remembered. */
    public @Nullable LeakRecord place() {
        return leaks.place("allocated");
    }

    /** As above, for somebody who asked at another place, if that is remembered. */
    public UcxBuffer acquire(long bytes, @Nullable LeakRecord asked) {
        int sizeClass = sizeClass(bytes);
        lock.lock();
        try {
            UcxBuffer leased = tryLease(bytes, sizeClass, asked);
            if (leased == null && closed) {
                throw new IllegalStateException("buffer pool: it is closed");
            }
            if (leased == null) {
                throw exceeded(1L << sizeClass, leasedBytes + " bytes of the pool's " + maxBytes + " are leased, "
                        + slabs.bytes()
                        + " are in slabs");
            }
            return leased;
        } finally {
            unlockAndServe();
        }
    }

    /**
     * Those who found no room for the sake of a slab that could not be made: nobody who gives memory back would come to
     * serve them.
     */
    private void unlockAndServe() {
        boolean due = roomAgain;
        roomAgain = false;
        lock.unlock();
        if (due) {
            serve();
        }
    }

    private static UcxException exceeded(long bytes, String why) {
        return new UcxException(UcxStatus.EXCEEDS_LIMIT, "acquire of " + bytes + " bytes", null, why);
    }

    private int sizeClass(long bytes) {
        if (bytes < 0 || bytes > maxBytes) {
            throw new IllegalArgumentException("bytes " + bytes + ": must be in 0.." + maxBytes
                    + ", the limit of the pool");
        }
        if (Long.highestOneBit(Math.max(bytes, MIN_BLOCK_BYTES) * 2 - 1) > maxBytes) {
            throw new IllegalArgumentException("bytes " + bytes
                    + ": the block of the next power of two exceeds the pool's " + maxBytes);
        }
        return Long.SIZE - Long.numberOfLeadingZeros(Math.max(bytes, MIN_BLOCK_BYTES) - 1);
    }

    /**
     * A block, or null when there is no room for one or the pool is closed. The lock is given up while a slab is made.
     */
    private BufferSlab.@Nullable Block takeBlock(int sizeClass) {
        BufferSlab.Block block = closed ? null : slabs.take(sizeClass);
        while (block == null && !closed && slabs.isMaking(sizeClass)) {
            slabMade.awaitUninterruptibly();
            block = closed ? null : slabs.take(sizeClass);
        }
        if (block != null || closed || !slabs.reserve(sizeClass)) {
            return block;
        }
        BufferSlab slab = null;
        lock.unlock();
        try {
            slab = slabs.make(sizeClass);
        } finally {
            lock.lock();
            slabs.made(sizeClass, slab);
            roomAgain |= slab == null && !waiters.isEmpty();
            slabMade.signalAll();
        }
        // Nobody else had the lock since the slab is there. A pool that closes has waited for it.
        return slabs.take(sizeClass);
    }

    private @Nullable UcxBuffer tryLease(long bytes, int sizeClass, @Nullable LeakRecord asked) {
        BufferSlab.Block block = takeBlock(sizeClass);
        if (block == null) {
            return null;
        }
        leasedBytes += block.memory().byteSize();
        leases++;
        if (!leaks.watchesNextLease()) {
            return new UcxBuffer(new SharedLease(this, block, null), block.memory().asSlice(0, bytes));
        }
        Object companion = new Object();
        LeakTracker watched = new LeakTracker(companion, this, block, bytes, asked, leaks.history());
        block.slab().watch(watched);
        return new UcxBuffer(new SharedLease(this, block, watched), block.view(bytes, companion));
    }

    /**
     * Leases memory, and waits for it where there is none: whoever asked first gets the next that comes back, however
     * much that is. Signals on the thread that gives the memory back.
     *
     * @param bytes size, may be 0
     * @return the lease, with one reference; a cancel ends the wait. {@link UcxStatus#EXCEEDS_LIMIT} when as many wait
     *     already as the resources' builder allows, {@link UcxClosedException} when the pool closes
     */
    public Mono<UcxBuffer> acquireLater(long bytes) {
        sizeClass(bytes);
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super UcxBuffer> actual) {
                actual.onSubscribe(new PendingAcquire(UcxBufferPool.this, bytes, place(), actual));
            }
        };
    }

    /** A subscriber asks for its lease. */
    public void await(PendingAcquire waiter) {
        UcxBuffer leased = null;
        RuntimeException refusal = null;
        lock.lock();
        try {
            if (waiters.isEmpty()) {
                leased = tryLease(waiter.bytes(), sizeClass(waiter.bytes()), waiter.asked());
            }
            if (leased == null && closed) {
                refusal = poolClosed();
            } else if (leased == null) {
                if (waiter.isOver()) {
                    // It has left while a slab was made, and would never be taken out again.
                    return;
                }
                if (waiters.size() < maxWaiters) {
                    waiters.add(waiter);
                    return;
                }
                refusal = exceeded(waiter.bytes(), waiters.size() + " wait for memory already, as many as may");
            }
        } catch (RuntimeException e) {
            // UCX registers no more memory.
            refusal = e;
        } finally {
            unlockAndServe();
        }
        waiter.end(leased, refusal);
    }

    private static UcxClosedException poolClosed() {
        return new UcxClosedException("acquire", null, "the buffer pool is closed");
    }

    public void leave(PendingAcquire waiter) {
        lock.lock();
        try {
            waiters.remove(waiter);
        } finally {
            lock.unlock();
        }
        // It may have kept back others who want less.
        serve();
    }

    /**
     * Gives what is there to those who wait. One thread at a time, so that a subscriber who releases at once does not
     * recurse.
     */
    private void serve() {
        if (serving.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        while (missed != 0) {
            Runnable delivery = nextDelivery();
            while (delivery != null) {
                delivery.run();
                delivery = nextDelivery();
            }
            missed = serving.addAndGet(-missed);
        }
    }

    private @Nullable Runnable nextDelivery() {
        lock.lock();
        try {
            PendingAcquire first = waiters.peek();
            return first == null ? null : delivery(first);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Runnable delivery(PendingAcquire first) {
        UcxBuffer leased;
        try {
            leased = tryLease(first.bytes(), sizeClass(first.bytes()), first.asked());
        } catch (RuntimeException e) {
            waiters.remove(first);
            return () -> first.end(null, e);
        }
        if (leased == null) {
            return null;
        }
        // It may have left while a slab was made, and gives the lease back then.
        waiters.remove(first);
        return () -> first.end(leased, null);
    }

    /**
     * Leases memory for a copy of some bytes.
     *
     * @param bytes the bytes
     * @return the lease, as long as they are, with one reference
     */
    public UcxBuffer copyOf(byte[] bytes) {
        UcxBuffer buffer = acquire(Objects.requireNonNull(bytes, "bytes").length);
        buffer.segment().copyFrom(MemorySegment.ofArray(bytes));
        return buffer;
    }

    public void release(SharedLease lease) {
        LeakTracker watched = lease.watched();
        Runnable then;
        lock.lock();
        try {
            then = watched == null || end(watched) ? takeBack(lease.block()) : null;
        } finally {
            lock.unlock();
        }
        if (then != null) {
            then.run();
        }
    }

    /** Nobody can reach the memory of a watched lease any more, whether it was released or not. */
    public void unreachable(LeakTracker watched) {
        boolean leaked;
        Runnable then;
        lock.lock();
        try {
            leaked = end(watched);
            then = leaked ? takeBack(watched.block()) : null;
        } finally {
            lock.unlock();
        }
        if (leaked) {
            watched.report(leaks);
        }
        if (then != null) {
            then.run();
        }
    }

    /** Answers whether it had not ended before. */
    private static boolean end(LeakTracker watched) {
        // The garbage collector has nothing to tell of it any more.
        watched.clear();
        return watched.block().slab().unwatch(watched);
    }

    /** Gives what is to be done without the lock. */
    private @Nullable Runnable takeBack(BufferSlab.Block block) {
        leasedBytes -= block.memory().byteSize();
        leases--;
        slabs.give(block);
        Runnable whenEmpty = afterLast;
        if (leases == 0 && whenEmpty != null) {
            OUTLIVED.remove(this);
            slabs.freeIdle();
            return whenEmpty;
        }
        return waiters.isEmpty() ? null : this::serve;
    }

    /** {@return bytes in leased blocks} */
    public long leasedBytes() {
        lock.lock();
        try {
            return leasedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** {@return leases that are out; one and all its slices count once} */
    public int leases() {
        lock.lock();
        try {
            return leases;
        } finally {
            lock.unlock();
        }
    }

    /** {@return subscribers that wait for memory} */
    public int waiters() {
        lock.lock();
        try {
            return waiters.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return leases that nobody could reach any more without having released them, as far as {@link LeakDetection}
     * looks}
     */
    public long leakedLeases() {
        return leaks.leases();
    }

    /** {@return bytes in slabs, leased or not} */
    public long slabBytes() {
        lock.lock();
        try {
            return slabs.bytes();
        } finally {
            lock.unlock();
        }
    }

    /** {@return most bytes that may be in slabs} */
    public long maxBytes() {
        return maxBytes;
    }

    /** Ends the pool and all that wait; its memory goes with the last lease, and then the action is run. */
    public void close(Runnable whenEmpty) {
        List<PendingAcquire> waiting;
        boolean empty;
        lock.lock();
        try {
            closed = true;
            waiting = List.copyOf(waiters);
            waiters.clear();
            while (slabs.isMaking()) {
                slabMade.awaitUninterruptibly();
            }
            empty = leases == 0;
            if (empty) {
                slabs.freeIdle();
            } else {
                LOG.error("Buffer pool closed with {} leases of {} bytes still out", leases, leasedBytes);
                afterLast = whenEmpty;
                if (slabs.isWatched()) {
                    OUTLIVED.add(this);
                }
            }
        } finally {
            lock.unlock();
        }
        waiting.forEach(waiter -> waiter.end(null, poolClosed()));
        if (empty) {
            whenEmpty.run();
        }
    }
}
