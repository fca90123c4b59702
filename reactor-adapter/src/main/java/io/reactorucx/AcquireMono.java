package io.reactorucx;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.pool.Pool;
import reactor.pool.PooledRef;
import reactor.util.context.Context;

/**
 * Takes a connection from a pool. When a cancel races with the delivery, reactor-pool delivers the connection all the
 * same, and this Mono gives it back.
 */
final class AcquireMono extends Mono<PooledConnection> {

    private final UcxConnectionPool owner;
    private final Pool<UcxConnection> pool;
    private final Duration timeout;

    AcquireMono(UcxConnectionPool owner, Pool<UcxConnection> pool, Duration timeout) {
        this.owner = owner;
        this.pool = pool;
        this.timeout = timeout;
    }

    @Override
    public void subscribe(CoreSubscriber<? super PooledConnection> actual) {
        if (owner.lend()) {
            pool.acquire(timeout).subscribe(new Acquire(actual));
        } else {
            Operators.error(actual, owner.closed());
        }
    }

    private enum State { WAITING, DELIVERED, CANCELLED }

    private final class Acquire implements CoreSubscriber<PooledRef<UcxConnection>>, Subscription {

        private final CoreSubscriber<? super PooledConnection> actual;
        private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
        private final AtomicBoolean requested = new AtomicBoolean();
        private @Nullable Subscription upstream;

        Acquire(CoreSubscriber<? super PooledConnection> actual) {
            this.actual = actual;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            actual.onSubscribe(this);
        }

        @Override
        public void request(long n) {
            // Once: a second request would take a second connection.
            if (Operators.validate(n) && requested.compareAndSet(false, true) && upstream != null) {
                upstream.request(1);
            }
        }

        @Override
        public void cancel() {
            if (state.compareAndSet(State.WAITING, State.CANCELLED) && upstream != null) {
                upstream.cancel();
                owner.returned();
            }
        }

        @Override
        public void onNext(PooledRef<UcxConnection> lent) {
            if (state.compareAndSet(State.WAITING, State.DELIVERED)) {
                actual.onNext(new PooledConnection(lent, owner));
                actual.onComplete();
            } else {
                lent.release().subscribe(ignored -> { }, error -> Operators.onErrorDropped(error, currentContext()));
            }
        }

        @Override
        public void onError(Throwable error) {
            if (state.compareAndSet(State.WAITING, State.DELIVERED)) {
                owner.returned();
                actual.onError(owner.explained(error));
            }
        }

        @Override
        public void onComplete() {
            // The pool gives one connection, or fails.
        }
    }
}
