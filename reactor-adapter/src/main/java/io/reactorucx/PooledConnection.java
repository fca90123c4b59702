package io.reactorucx;

import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;
import reactor.pool.PooledRef;

/**
 * A connection that a pool has lent.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the application gives it back once, by {@link #release()} or
 * {@link #invalidate()}, when all its operations on the connection have ended: the next user of the connection would
 * meet remaining subscriptions. <b>Errors:</b> none.
 */
public final class PooledConnection {

    private final PooledRef<UcxConnection> lent;
    private final UcxConnectionPool pool;
    private final AtomicBoolean returned = new AtomicBoolean();

    PooledConnection(PooledRef<UcxConnection> lent, UcxConnectionPool pool) {
        this.lent = lent;
        this.pool = pool;
    }

    /** {@return the connection, which must not be used after it was given back} */
    public UcxConnection connection() {
        return lent.poolable();
    }

    /**
     * Gives the connection back; the pool closes one that has ended or is too old.
     *
     * @return completes when the pool has the connection; a second subscription has no effect
     */
    public Mono<Void> release() {
        return giveBack(lent.release());
    }

    /**
     * Closes the connection in place of giving it back, because it cannot be used again.
     *
     * @return completes when the connection is closed
     */
    public Mono<Void> invalidate() {
        return giveBack(lent.invalidate());
    }

    private Mono<Void> giveBack(Mono<Void> ending) {
        return Mono.defer(() -> returned.compareAndSet(false, true) ? ending.doFinally(end -> pool.returned())
                : Mono.empty());
    }

    @Override
    public String toString() {
        return "PooledConnection[" + connection() + (returned.get() ? ", returned]" : "]");
    }
}
