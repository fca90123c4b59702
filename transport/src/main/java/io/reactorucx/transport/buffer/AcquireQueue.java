package io.reactorucx.transport.buffer;

import io.reactorucx.transport.counter.WaitCounter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The waiters for memory of a pool, in order and bounded. Any thread; the pool's lock guards the queue. */
final class AcquireQueue {

    private final BufferPool pool;
    private final int maxWaiters;
    private final ReentrantLock lock;
    private final Deque<PendingAcquire> waiters = new ArrayDeque<>();
    private final AtomicInteger serving = new AtomicInteger();
    private final MemoryWatch watch;
    private final WaitCounter waits = new WaitCounter();

    AcquireQueue(BufferPool pool, int maxWaiters, ReentrantLock lock, Supplier<String> leased) {
        this.pool = pool;
        this.maxWaiters = maxWaiters;
        this.lock = lock;
        this.watch = new MemoryWatch(this::first, leased);
    }

    MemoryWatch watch() {
        return watch;
    }

    int maxWaiters() {
        return maxWaiters;
    }

    /** Returns the waits that have ended. Thread: any. */
    WaitCounter waits() {
        return waits;
    }

    /** Thread: holds the lock. */
    private void left(PendingAcquire waiter) {
        if (waiters.remove(waiter)) {
            waits.waited(System.nanoTime() - waiter.sinceNanos());
        }
    }

    /** Returns what has waited longest, or null. */
    private MemoryWatch.@Nullable Waiter first() {
        PendingAcquire first;
        int others;
        lock.lock();
        try {
            first = waiters.peek();
            others = waiters.size() - 1;
        } finally {
            lock.unlock();
        }
        // Its name may come from the application, which is not called with the lock.
        return first == null ? null : new MemoryWatch.Waiter(first.name(), first.bytes(), first.sinceNanos(), others);
    }

    /** Gives a waiter its lease, an error, or a place at the end of the queue. */
    void add(PendingAcquire waiter) {
        Lease lease = null;
        RuntimeException refusal = null;
        lock.lock();
        try {
            if (waiters.isEmpty()) {
                lease = pool.tryLease(waiter.bytes(), waiter.place());
            }
            if (lease == null && pool.isClosed()) {
                refusal = BufferPool.closedException();
            } else if (lease == null) {
                if (waiter.isOver()) {
                    // Cancelled while a slab was made, before it was in the queue: nothing would take it out again.
                    return;
                }
                if (waiters.size() < maxWaiters) {
                    waiters.add(waiter);
                    watch.waiting();
                    return;
                }
                refusal = BufferPool.exceeded(waiter.bytes(), waiters.size()
                        + " wait for memory already, as many as may");
            }
        } catch (RuntimeException e) {
            // UCX could not register a slab.
            refusal = e;
        } finally {
            pool.unlockAndServe();
        }
        waiter.end(lease, refusal);
    }

    /** Removes a waiter that has cancelled. */
    void remove(PendingAcquire waiter) {
        lock.lock();
        try {
            left(waiter);
        } finally {
            lock.unlock();
        }
        // The waiters behind it may want less.
        serve();
    }

    /**
     * Gives free memory to the waiters in order. One thread at a time delivers, so that a waiter that releases its
     * lease within the signal does not recurse.
     */
    void serve() {
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
        Lease lease;
        try {
            lease = pool.tryLease(first.bytes(), first.place());
        } catch (RuntimeException e) {
            left(first);
            return () -> first.end(null, e);
        }
        if (lease == null) {
            return null;
        }
        // The waiter may have cancelled while a slab was made; then end() releases the lease.
        left(first);
        return () -> first.end(lease, null);
    }

    /** Empties the queue and returns what was in it. Thread: holds the lock. */
    List<PendingAcquire> drain() {
        List<PendingAcquire> all = List.copyOf(waiters);
        all.forEach(this::left);
        return all;
    }

    /** Thread: holds the lock. */
    boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** Thread: holds the lock. */
    int size() {
        return waiters.size();
    }
}
