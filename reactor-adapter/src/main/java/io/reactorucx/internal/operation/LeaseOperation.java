package io.reactorucx.internal.operation;

import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.lease.ReceiverName;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.buffer.Lease;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * An operation that can hold a lease while UCX uses its memory. When UCX has completed, the lease is released, unless
 * the result has handed it over to the subscriber.
 */
public abstract class LeaseOperation<T> extends OperationSubscription<T> {

    private final @Nullable LeakRecord place;
    private @Nullable LeasedBuffer lease;

    /** An operation whose lease, if it takes one, has no known place. */
    protected LeaseOperation(OperationMono<?> mono, CoreSubscriber<? super T> subscriber) {
        this(mono, subscriber, null);
    }

    /**
     * An operation that takes its lease when it is posted.
     *
     * @param place where the application asked for the operation, for the report of a leak
     */
    protected LeaseOperation(OperationMono<?> mono, CoreSubscriber<? super T> subscriber, @Nullable LeakRecord place) {
        super(mono, subscriber);
        this.place = place;
    }

    /** Keeps a lease that the caller has retained for this operation. */
    protected final void keep(LeasedBuffer retained) {
        lease = retained;
    }

    /** Returns the lease; the first call takes it from the pool. Thread: engine. */
    protected final LeasedBuffer lease(LeasePool pool, long bytes) {
        LeasedBuffer held = lease;
        if (held == null) {
            held = pool.acquire(bytes, place);
            lease = held;
        }
        return held;
    }

    /** Returns the lease that was taken before. */
    protected final LeasedBuffer lease() {
        return Objects.requireNonNull(lease, "lease");
    }

    /**
     * Returns the lease as {@link #handOver()} does.
     *
     * @param what what it holds, with the word that leads to the peer, for the report of a leak
     */
    protected final @Nullable LeasedBuffer handOver(String what) {
        Lease.addOrigin(lease, what, owner().peer(), subscriber(), ReceiverName::of, place);
        return handOver();
    }

    /** Returns the lease, which is the subscriber's to release from now on; null when none was taken. */
    protected final @Nullable LeasedBuffer handOver() {
        LeasedBuffer held = lease;
        lease = null;
        return held;
    }

    @Override
    public void released() {
        LeasedBuffer held = handOver();
        if (held != null) {
            held.release();
        }
    }
}
