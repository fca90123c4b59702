package io.reactorucx.internal.operation;

import io.reactorucx.engine.OperationKind;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * A Mono of an operation of a connection: cold, one operation for each subscriber. It has what its operations share, so
 * that each of these is a small object.
 */
public abstract class OperationMono<T> extends Mono<T> {

    final OperationOwner owner;
    final OperationKind kind;

    public OperationMono(OperationOwner owner, OperationKind kind) {
        this.owner = owner;
        this.kind = kind;
    }

    /** Makes the operations of a Mono. */
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

    /** Another operation, which begins when its subscriber asks for the result. */
    public abstract OperationSubscription<T> operation(CoreSubscriber<? super T> actual);

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        actual.onSubscribe(operation(actual));
    }
}
