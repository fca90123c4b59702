package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * Memory of the pool for one direction of a stream, which stands in line for it where there is none. On the engine's
 * thread.
 */
final class StreamBuffers {

    private final MessageStream stream;
    private final MessageMultiplexer mux;
    private final Runnable again;
    private @Nullable UcxBuffer spare;
    private @Nullable Wait waiting;

    /** Memory for a stream, and what to do when there is some again. */
    StreamBuffers(MessageStream stream, MessageMultiplexer mux, Runnable again) {
        this.stream = stream;
        this.mux = mux;
        this.again = again;
    }

    /** A lease, or null when there is no memory: then it is tried again when there is. */
    @Nullable UcxBuffer tryLease(long bytes) {
        UcxBuffer kept = takeSpare(bytes);
        if (kept != null || waiting != null) {
            return kept;
        }
        try {
            return mux.pool().acquire(bytes);
        } catch (UcxException e) {
            if (e.status() != UcxStatus.EXCEEDS_LIMIT) {
                throw e;
            }
        }
        Wait wait = new Wait();
        waiting = wait;
        mux.pool().acquireLater(bytes).subscribe(wait);
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

    /** Nobody needs any more. */
    void cancel() {
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
            mux.retryLater(stream);
            return;
        }
        spare = lease;
        try (var _ = mux.flushScope()) {
            again.run();
        }
    }

    /** One place in line. Signals come on the thread that gave memory back. */
    private final class Wait implements CoreSubscriber<UcxBuffer> {

        private @Nullable Subscription subscription;

        @Override
        public void onSubscribe(Subscription upstream) {
            subscription = upstream;
            upstream.request(1);
        }

        @Override
        public void onNext(UcxBuffer lease) {
            mux.connection().execute(worker -> ended(this, lease), closed -> lease.release());
        }

        @Override
        public void onError(Throwable error) {
            mux.connection().execute(worker -> ended(this, null));
        }

        @Override
        public void onComplete() {
            // The lease has come before.
        }

        void cancel() {
            Subscription upstream = subscription;
            if (upstream != null) {
                upstream.cancel();
            }
        }
    }
}
