package io.reactorucx.internal.buffer;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** One subscriber who waits for memory of a pool: it gets a lease, an error, or nothing after its cancel. */
public final class PendingAcquire implements Subscription {

    private static final Logger LOG = LoggerFactory.getLogger(PendingAcquire.class);

    private enum State { NEW, WAITING, DONE }

    private final UcxBufferPool pool;
    private final long bytes;
    private final @Nullable LeakRecord asked;
    private final CoreSubscriber<? super UcxBuffer> subscriber;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);

    public PendingAcquire(UcxBufferPool pool, long bytes, @Nullable LeakRecord asked,
            CoreSubscriber<? super UcxBuffer> subscriber) {
        this.pool = pool;
        this.bytes = bytes;
        this.asked = asked;
        this.subscriber = subscriber;
    }

    public long bytes() {
        return bytes;
    }

    /** Where the memory was asked for, if that is remembered. */
    public @Nullable LeakRecord asked() {
        return asked;
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n) && state.compareAndSet(State.NEW, State.WAITING)) {
            pool.await(this);
        }
    }

    @Override
    public void cancel() {
        if (state.getAndSet(State.DONE) == State.WAITING) {
            pool.leave(this);
        }
    }

    public boolean isOver() {
        return state.get() == State.DONE;
    }

    /** Ends the wait with a lease, which goes back after a cancel, or with an error. */
    public void end(@Nullable UcxBuffer lease, @Nullable RuntimeException error) {
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

    /** Others wait behind this one, and whoever gave memory back has nothing to do with its subscriber. */
    private static void signal(Runnable signals) {
        try {
            signals.run();
        } catch (RuntimeException | LinkageError e) {
            LOG.error("A subscriber who waited for memory threw", e);
        }
    }
}
