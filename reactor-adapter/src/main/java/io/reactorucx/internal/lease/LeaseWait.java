package io.reactorucx.internal.lease;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.buffer.Lease;
import io.reactorucx.transport.buffer.PendingAcquire;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** A subscriber's wait for memory of a pool, which begins with its demand. Thread: any. */
final class LeaseWait extends PendingAcquire implements Subscription {

    private final CoreSubscriber<? super UcxBuffer> subscriber;

    LeaseWait(LeasePool pool, long bytes, @Nullable LeakRecord place, CoreSubscriber<? super UcxBuffer> subscriber) {
        super(pool.buffers(), bytes, place);
        this.subscriber = subscriber;
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            begin();
        }
    }

    @Override
    protected void acquired(Lease lease) {
        subscriber.onNext((LeasedBuffer) lease);
        subscriber.onComplete();
    }

    @Override
    protected void failed(RuntimeException error) {
        subscriber.onError(error);
    }

    @Override
    protected String name() {
        return subscriber instanceof NamedWaiter waiter ? waiter.waiterName() : "a subscriber of acquireLater";
    }
}
