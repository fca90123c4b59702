package io.reactorucx;

import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;
import reactor.pool.PooledRef;

/**
 * A connection that a pool has lent.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> give it back once, by {@link #release()} or {@link #invalidate()},
 * when nothing that was begun on it goes on: the next one to have it would meet what is still subscribed.
 * <b>Errors:</b> none of its own.
 */
public final class PooledConnection {

    private final PooledRef<UcxConnection> lent;
    private final UcxConnectionPool pool;
    private final AtomicBoolean returned = new AtomicBoolean();

    PooledConnection(PooledRef<UcxConnection> lent, UcxConnectionPool pool) {
        this.lent = lent;
        this.pool = pool;
    }

    /** {@return the connection; not to be used after it was given back} */
    public UcxConnection connection() {
        return lent.poolable();
    }

    /**
     * Gives the connection back; one that is dead or too old is closed then.
     *
     * @return completes when the pool has it; a second time changes nothing
     */
    public Mono<Void> release() {
        return giveBack(lent.release());
    }

    /**
     * Closes the connection instead of giving it back: for one that cannot be used again.
     *
     * @return completes when it is closed
     */
    public Mono<Void> invalidate() {
        return giveBack(lent.invalidate());
    }

    private Mono<Void> giveBack(Mono<Void> way) {
        return Mono.defer(() -> returned.compareAndSet(false, true) ? way.doFinally(end -> pool.returned())
                : Mono.empty());
    }
}
