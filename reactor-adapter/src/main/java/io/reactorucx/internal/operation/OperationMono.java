package io.reactorucx.internal.operation;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.transport.endpoint.OperationOwner;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * A cold Mono of an operation of a connection, with one operation for each subscriber. The Mono holds what its
 * operations share, so that each operation is a small object.
 */
public abstract class OperationMono<T> extends Mono<T> {

    final OperationOwner owner;
    final OperationKind kind;

    public OperationMono(OperationOwner owner, OperationKind kind) {
        this.owner = owner;
        this.kind = kind;
    }

    /** Creates the operations of a Mono. */
    @FunctionalInterface
    public interface Factory<T> {

        OperationSubscription<T> operation(OperationMono<T> of, CoreSubscriber<? super T> actual);
    }

    public static <T> OperationMono<T> of(OperationOwner owner, OperationKind kind, Factory<T> factory) {
        return new OperationMono<>(owner, kind) {
            @Override
            public OperationSubscription<T> operation(CoreSubscriber<? super T> actual) {
                return factory.operation(this, actual);
            }
        };
    }

    /** Returns what the operations of a window share, which are made one by one and never by a subscription. */
    public static <T> OperationMono<T> shared(OperationOwner owner, OperationKind kind) {
        return of(owner, kind, (mono, actual) -> {
            throw new UnsupportedOperationException("subscribe");
        });
    }

    /**
     * Retains a lease for an operation. Returns false if the lease was released before, which fails the subscriber,
     * unless it has cancelled already: {@link Mono#using} releases its lease at a cancel, and subscribes all the same.
     */
    protected static boolean retain(UcxBuffer lease, CoreSubscriber<?> actual) {
        try {
            lease.retain();
            return true;
        } catch (IllegalStateException released) {
            Refusal refusal = new Refusal();
            actual.onSubscribe(refusal);
            if (!refusal.cancelled) {
                actual.onError(released);
            }
            return false;
        }
    }

    /** The subscription of a subscriber that gets an error at once. */
    private static final class Refusal implements Subscription {

        private volatile boolean cancelled;

        @Override
        public void request(long n) {
            // The error needs no demand.
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    /** Returns a new operation, which is posted when its subscriber requests the result. */
    public abstract OperationSubscription<T> operation(CoreSubscriber<? super T> actual);

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        OperationSubscription<T> operation = operation(actual);
        boolean subscribed = false;
        try {
            actual.onSubscribe(operation);
            subscribed = true;
        } finally {
            if (!subscribed) {
                operation.cancel();
            }
        }
    }
}
