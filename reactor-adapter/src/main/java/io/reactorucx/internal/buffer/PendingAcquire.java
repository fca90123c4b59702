package io.reactorucx.internal.buffer;

import io.reactorucx.buffer.UcxBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** One subscriber that waits for memory of a pool. It gets a lease, an error, or nothing after its cancel. */
final class PendingAcquire implements Subscription {

    private static final Logger LOG = LoggerFactory.getLogger(PendingAcquire.class);

    private enum State { NEW, WAITING, DONE }

    private final AcquireQueue queue;
    private final long bytes;
    private final @Nullable LeakRecord place;
    private final CoreSubscriber<? super UcxBuffer> subscriber;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private final long madeNanos = System.nanoTime();

    PendingAcquire(AcquireQueue queue, long bytes, @Nullable LeakRecord place,
            CoreSubscriber<? super UcxBuffer> subscriber) {
        this.queue = queue;
        this.bytes = bytes;
        this.place = place;
        this.subscriber = subscriber;
    }

    long bytes() {
        return bytes;
    }

    /** Returns when the wait began. */
    long sinceNanos() {
        return madeNanos;
    }

    /** Returns what waits, for the log. */
    String name() {
        return subscriber instanceof MemoryWatch.Waiter waiter ? waiter.waiterName() : "a subscriber of acquireLater";
    }

    /** The place of the request; null where places are not recorded. */
    @Nullable LeakRecord place() {
        return place;
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n) && state.compareAndSet(State.NEW, State.WAITING)) {
            queue.add(this);
        }
    }

    @Override
    public void cancel() {
        if (state.getAndSet(State.DONE) == State.WAITING) {
            queue.remove(this);
        }
    }

    boolean isOver() {
        return state.get() == State.DONE;
    }

    /** Ends the wait with a lease or with an error. After a cancel the lease is released. */
    void end(@Nullable LeasedBuffer lease, @Nullable RuntimeException error) {
        if (!state.compareAndSet(State.WAITING, State.DONE)) {
            if (lease != null) {
                lease.release();
            }
        } else if (lease != null) {
            signal(() -> {
                subscriber.onNext(lease);
                subscriber.onComplete();
            });
        } else if (error != null) {
            signal(() -> subscriber.onError(error));
        }
    }

    /** Other subscribers wait behind this one, and the caller that released memory is not to get its exception. */
    private static void signal(Runnable signals) {
        try {
            signals.run();
        } catch (Throwable t) {
            LOG.error("A subscriber that waited for memory threw", t);
        }
    }
}
