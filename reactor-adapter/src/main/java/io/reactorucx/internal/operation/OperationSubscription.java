package io.reactorucx.internal.operation;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Operation;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * One subscription to one operation of a connection: at once the subscriber's {@link Subscription}, the engine's
 * command and UCX's completion.
 *
 * <p>The subscriber gets one outcome: of UCX, of the connection's failure, or none after it has cancelled. Whatever it
 * got, the operation stays with the connection until UCX has let go of its memory.
 */
public abstract class OperationSubscription<T> extends Operation implements Subscription {

    @SuppressWarnings("rawtypes") // a class literal has no parameters
    private static final AtomicIntegerFieldUpdater<OperationSubscription> STATE =
            AtomicIntegerFieldUpdater.newUpdater(OperationSubscription.class, "state");
    private static final int NEW = 0;
    private static final int SUBMITTED = 1;
    private static final int DONE = 2;

    public final OperationMono<?> mono;
    private final CoreSubscriber<? super T> subscriber;
    private volatile int state = NEW;
    /** Its neighbours in an {@link InFlightOperations}; the first one precedes itself. Null outside of a list. */
    @Nullable OperationSubscription<?> previous;
    @Nullable OperationSubscription<?> next;

    public OperationSubscription(OperationMono<?> mono, CoreSubscriber<? super T> subscriber) {
        this.mono = mono;
        this.subscriber = subscriber;
    }

    public final OperationOwner owner() {
        return mono.owner;
    }

    @Override
    protected final ProgressEngine engine() {
        return mono.owner.engine();
    }

    @Override
    public final OperationKind kind() {
        return mono.kind;
    }

    /** Hands it to UCX; answers whether it is done. */
    public abstract boolean post(UcpWorker worker, UcpEndpoint endpoint);

    /** What the subscriber gets for a success, null for nothing but the completion. */
    public abstract @Nullable T result(long receivedLength, long tag);

    /** UCX has let go of the operation's memory, or never had it. */
    public void released() {
    }

    /** The subscriber has given up while the operation is under way. */
    public void cancelled(UcpWorker worker) {
    }

    @Override
    public final void request(long n) {
        if (Operators.validate(n) && STATE.compareAndSet(this, NEW, SUBMITTED)) {
            engine().execute(this);
        }
    }

    @Override
    public final void cancel() {
        int before = STATE.getAndSet(this, DONE);
        if (before == NEW) {
            released();
        } else if (before == SUBMITTED) {
            // Whatever the queue holds: a receive that stays takes a message that is somebody else's. An engine that
            // closes cancels by itself.
            owner().execute(worker -> {
                if (InFlightOperations.isLinked(this)) {
                    cancelled(worker);
                }
            });
        }
    }

    @Override
    public final boolean post(UcpWorker worker) {
        if (state == DONE) {
            throw new CancellationException("cancelled before it was posted");
        }
        UcpEndpoint endpoint = owner().endpointFor(kind());
        boolean done = post(worker, endpoint);
        if (!done) {
            owner().link(this);
        }
        return done;
    }

    @Override
    public final void succeeded(long receivedLength, long tag) {
        unlink();
        try {
            if (state == DONE) {
                released();
            } else {
                // The other outcomes come on this thread, too; a cancel of another one that comes now is late, as its
                // subscriber has to expect.
                STATE.lazySet(this, DONE);
                signal(receivedLength, tag);
            }
        } finally {
            owner().operationEnded();
        }
    }

    private void signal(long receivedLength, long tag) {
        T value;
        try {
            value = result(receivedLength, tag);
        } catch (RuntimeException e) {
            released();
            subscriber.onError(e);
            return;
        }
        released();
        if (value != null) {
            subscriber.onNext(value);
        }
        subscriber.onComplete();
    }

    @Override
    public final void failed(RuntimeException error) {
        unlink();
        try {
            released();
            if (STATE.getAndSet(this, DONE) != DONE) {
                subscriber.onError(explained(error));
            }
        } finally {
            if (engine().isEngineThread()) {
                owner().operationEnded();
            }
        }
    }

    /** Whether the subscriber has had its outcome, or has given up. */
    public final boolean isOver() {
        return state == DONE;
    }

    /** What the subscriber hears of an error. */
    public RuntimeException explained(RuntimeException error) {
        return owner().explained(error, kind());
    }

    /** Whether it is a receive, whose data may be here although the peer is not any more. */
    final boolean mayHaveArrived() {
        return kind() == OperationKind.TAG_RECEIVE || kind() == OperationKind.STREAM_RECEIVE;
    }

    /**
     * The endpoint closes, which ends it. A stream may still have data for a receive, which hears of the end from UCX.
     */
    public final void endpointCloses(RuntimeException error) {
        if (kind() != OperationKind.STREAM_RECEIVE) {
            abandon(error);
        }
    }

    /** The connection is lost, or closes: the subscriber hears of it now, UCX's own completion may come later. */
    public final void abandon(RuntimeException error) {
        if (STATE.getAndSet(this, DONE) != DONE) {
            subscriber.onError(error);
        }
    }

    private void unlink() {
        if (InFlightOperations.isLinked(this)) {
            owner().unlink(this);
        }
    }

    @Override
    protected final String peer() {
        return owner().peer();
    }
}
