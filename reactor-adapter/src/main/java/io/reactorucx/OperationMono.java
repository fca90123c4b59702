package io.reactorucx;

import io.reactorucx.engine.OperationKind;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * A Mono of an operation of a connection: cold, one operation for each subscriber. It has what its operations share, so that each of these is
 * a small object.
 */
abstract class OperationMono<T> extends Mono<T> {

    final ConnectionCore connection;
    final OperationKind kind;

    OperationMono(ConnectionCore connection, OperationKind kind) {
        this.connection = connection;
        this.kind = kind;
    }

    /** Makes the operations of a Mono. */
    @FunctionalInterface
    interface Factory<T> {

        ConnectionOperation<T> operation(OperationMono<T> of, CoreSubscriber<? super T> actual);
    }

    static <T> OperationMono<T> of(ConnectionCore connection, OperationKind kind, Factory<T> factory) {
        return new OperationMono<>(connection, kind) {
            @Override
            ConnectionOperation<T> operation(CoreSubscriber<? super T> actual) {
                return factory.operation(this, actual);
            }
        };
    }

    /** Another operation, which begins when its subscriber asks for the result. */
    abstract ConnectionOperation<T> operation(CoreSubscriber<? super T> actual);

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        actual.onSubscribe(operation(actual));
    }
}
