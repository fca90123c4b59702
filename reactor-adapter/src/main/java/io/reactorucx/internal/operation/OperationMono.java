package io.reactorucx.internal.operation;

import io.reactorucx.engine.OperationKind;
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

    /** Returns a new operation, which is posted when its subscriber requests the result. */
    public abstract OperationSubscription<T> operation(CoreSubscriber<? super T> actual);

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        actual.onSubscribe(operation(actual));
    }
}
