package io.reactorucx.transport.connect;

import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The end of a connect, of which the caller is told once. Thread: any. */
final class ConnectEnd {

    private final ConnectCallback callback;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable Future<?> timeout;

    ConnectEnd(ConnectCallback callback) {
        this.callback = callback;
    }

    /** Sets the timer that ends the connect, which is cancelled when it has ended before. */
    void limitedBy(Future<?> timer) {
        timeout = timer;
        if (ended.get()) {
            timer.cancel(false);
        }
    }

    /** Ends the connect. Returns whether the caller has not been told before, and is to be told now. */
    boolean tryEnd() {
        Future<?> running = timeout;
        if (running != null) {
            running.cancel(false);
        }
        return ended.compareAndSet(false, true);
    }

    /** Ends the connect with an error, unless it has ended. */
    void fail(RuntimeException error) {
        if (tryEnd()) {
            callback.failed(error);
        }
    }

    /** Tells the caller of the connection, behind {@link #tryEnd()}. */
    void connected(Established established) {
        callback.connected(established);
    }
}
