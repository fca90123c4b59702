package io.reactorucx;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.operation.OperationSubscription;
import io.reactorucx.transport.connection.ConnectionCore;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * An operation that counts how often it lets go of its memory, and what its subscriber hears: 1 for a value, 10 for the
 * end, 100 for an error.
 */
final class CountedOperation extends OperationSubscription<Integer> {

    private final AtomicInteger released = new AtomicInteger();
    private final Heard heard;

    CountedOperation(ConnectionCore connection) {
        this(connection, new Heard(new AtomicInteger()));
    }

    private CountedOperation(ConnectionCore connection, Heard heard) {
        super(OperationMono.<Integer>of(connection, OperationKind.GET, (mono, actual) ->
                new CountedOperation(connection)), heard);
        this.heard = heard;
    }

    private record Heard(AtomicInteger signals) implements CoreSubscriber<Integer> {

        @Override
        public void onSubscribe(Subscription subscription) {
        }

        @Override
        public void onNext(Integer value) {
            signals.addAndGet(1);
        }

        @Override
        public void onComplete() {
            signals.addAndGet(10);
        }

        @Override
        public void onError(Throwable cause) {
            signals.addAndGet(100);
        }
    }

    int heard() {
        return heard.signals.get();
    }

    int releases() {
        return released.get();
    }

    @Override
    public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        return false;
    }

    @Override
    public Integer result(long receivedLength, long tag) {
        return 1;
    }

    @Override
    public void released() {
        released.incrementAndGet();
    }

    @Override
    protected long bytes(long receivedLength) {
        return 0;
    }
}
