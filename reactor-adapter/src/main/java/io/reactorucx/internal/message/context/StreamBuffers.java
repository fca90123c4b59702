package io.reactorucx.internal.message.context;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.lease.NamedWaiter;
import io.reactorucx.transport.command.RetryingCommand;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * Leases of the pool for one direction of a stream. While the pool has no memory, the direction waits for its turn.
 *
 * <p>Thread: engine.
 */
public final class StreamBuffers {

    private final DuplexStream stream;
    private final StreamContext context;
    private final Runnable whenAvailable;
    private @Nullable UcxBuffer spare;
    private @Nullable Wait waiting;

    /** Creates the leases of a stream; the callback runs when a lease that was missing has become available. */
    public StreamBuffers(DuplexStream stream, StreamContext context, Runnable whenAvailable) {
        this.stream = stream;
        this.context = context;
        this.whenAvailable = whenAvailable;
    }

    /** Returns a lease, or null when there is no memory: the callback runs when there is. */
    public @Nullable UcxBuffer tryLease(long bytes) {
        UcxBuffer kept = takeSpare(bytes);
        if (kept != null || waiting != null) {
            return kept;
        }
        try {
            return context.pool().acquire(bytes, null);
        } catch (UcxException e) {
            if (e.status() != UcxStatus.EXCEEDS_LIMIT) {
                throw e;
            }
        }
        Wait wait = new Wait();
        waiting = wait;
        context.pool().acquireLater(bytes, null).subscribe(wait);
        return takeSpare(bytes);
    }

    private @Nullable UcxBuffer takeSpare(long bytes) {
        UcxBuffer kept = spare;
        spare = null;
        if (kept != null && kept.length() != bytes) {
            kept.release();
            return null;
        }
        return kept;
    }

    /** Gives up waiting, and releases a lease that has become available. */
    public void cancel() {
        Wait wait = waiting;
        if (wait != null) {
            waiting = null;
            wait.cancel();
        }
        UcxBuffer kept = spare;
        if (kept != null) {
            spare = null;
            kept.release();
        }
    }

    private void ended(Wait wait, @Nullable UcxBuffer lease) {
        if (waiting != wait) {
            if (lease != null) {
                lease.release();
            }
            return;
        }
        waiting = null;
        if (lease == null) {
            context.retry().add(whenAvailable);
            return;
        }
        spare = lease;
        try (var _ = context.flushScope()) {
            whenAvailable.run();
        }
    }

    /** One wait for memory. Thread: that which releases memory. */
    private final class Wait implements CoreSubscriber<UcxBuffer>, NamedWaiter {

        private @Nullable Subscription subscription;

        @Override
        public String waiterName() {
            return "[" + context.connection().peer() + "] a large message on " + stream;
        }

        @Override
        public void onSubscribe(Subscription upstream) {
            subscription = upstream;
            upstream.request(1);
        }

        @Override
        public void onNext(UcxBuffer lease) {
            new RetryingCommand(context.connection().engine(), worker -> ended(this, lease), closed -> lease.release(),
                    true).submit();
        }

        @Override
        public void onError(Throwable error) {
            context.executeUrgent(() -> ended(this, null));
        }

        @Override
        public void onComplete() {
            // After onNext.
        }

        void cancel() {
            Subscription upstream = subscription;
            if (upstream != null) {
                upstream.cancel();
            }
        }
    }
}
