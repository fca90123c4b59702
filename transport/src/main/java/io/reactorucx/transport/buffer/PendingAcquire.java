package io.reactorucx.transport.buffer;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One wait for memory of a pool. It ends with a lease or with an error, on the thread that releases memory, or with
 * nothing after its cancel.
 *
 * <p>Thread: any.
 */
public abstract class PendingAcquire {

    private static final Logger LOG = LoggerFactory.getLogger(PendingAcquire.class);

    private enum State { NEW, WAITING, DONE }

    private final AcquireQueue queue;
    private final long bytes;
    private final @Nullable LeakRecord place;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private final long madeNanos = System.nanoTime();

    /**
     * Creates a wait, which has not begun.
     *
     * @param place where the application asked for the memory; null where places are not recorded
     */
    protected PendingAcquire(BufferPool pool, long bytes, @Nullable LeakRecord place) {
        this.queue = pool.queue();
        this.bytes = bytes;
        this.place = place;
    }

    /** The wait has ended with a lease. */
    protected abstract void acquired(Lease lease);

    /** The wait has ended without one. */
    protected abstract void failed(RuntimeException error);

    /** Returns what waits, for the log. */
    protected abstract String name();

    long bytes() {
        return bytes;
    }

    /** Returns when the wait began. */
    long sinceNanos() {
        return madeNanos;
    }

    @Nullable LeakRecord place() {
        return place;
    }

    /** Begins the wait; further calls do nothing. */
    protected final void begin() {
        if (state.compareAndSet(State.NEW, State.WAITING)) {
            queue.add(this);
        }
    }

    /** Ends the wait with nothing. */
    public final void cancel() {
        if (state.getAndSet(State.DONE) == State.WAITING) {
            queue.remove(this);
        }
    }

    boolean isOver() {
        return state.get() == State.DONE;
    }

    /** Ends the wait with a lease or with an error. After a cancel the lease is released. */
    void end(@Nullable Lease lease, @Nullable RuntimeException error) {
        if (!state.compareAndSet(State.WAITING, State.DONE)) {
            if (lease != null) {
                lease.release();
            }
            return;
        }
        // Others wait behind this one, and the caller that released memory is not to get its exception.
        try {
            if (lease != null) {
                acquired(lease);
            } else if (error != null) {
                failed(error);
            }
        } catch (Throwable t) {
            LOG.error("A subscriber that waited for memory threw", t);
        }
    }
}
