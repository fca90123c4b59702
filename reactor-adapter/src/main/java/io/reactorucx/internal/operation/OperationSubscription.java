package io.reactorucx.internal.operation;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.concurrent.ThrownSignal;
import io.reactorucx.transport.endpoint.InFlightOperation;
import io.reactorucx.transport.endpoint.OperationOwner;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;

/**
 * One subscription to an operation of a connection: the subscriber's {@link Subscription}, the engine's command and
 * UCX's completion in one object.
 *
 * <p>The subscriber gets one outcome: UCX's, the connection's failure, or none after a cancel. The operation stays in
 * flight on its connection until UCX no longer uses its memory.
 */
public abstract class OperationSubscription<T> extends InFlightOperation implements Subscription {

    @SuppressWarnings("rawtypes") // a class literal has no parameters
    private static final AtomicIntegerFieldUpdater<OperationSubscription> STATE =
            AtomicIntegerFieldUpdater.newUpdater(OperationSubscription.class, "state");
    private static final int NEW = 0;
    private static final int SUBMITTED = 1;
    private static final int DONE = 2;

    public final OperationMono<?> mono;
    private final CoreSubscriber<? super T> subscriber;
    private volatile int state = NEW;

    public OperationSubscription(OperationMono<?> mono, CoreSubscriber<? super T> subscriber) {
        this.mono = mono;
        this.subscriber = subscriber;
    }

    final CoreSubscriber<? super T> subscriber() {
        return subscriber;
    }

    public final OperationOwner owner() {
        return mono.owner;
    }

    @Override
    protected final ProgressEngine engine() {
        return mono.owner.progressEngine();
    }

    @Override
    public final OperationKind kind() {
        return mono.kind;
    }

    /** Posts the operation to UCX, and returns whether it has completed already. */
    public abstract boolean post(UcpWorker worker, UcpEndpoint endpoint);

    /** Returns the value for the subscriber after a success, or null for none. */
    public abstract @Nullable T result(long receivedLength, long tag);

    /** UCX no longer uses the operation's memory, or never did. */
    public void released() {
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
            // Also when the engine's queue is full: a receive that stays posted takes a message of another subscriber.
            // A closing engine cancels its operations itself.
            owner().executeUrgent(worker -> {
                if (isInFlight()) {
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
                // The other outcomes come on this thread, too. A cancel on another thread may come too late, as the
                // Reactive Streams rules allow.
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
            signalError(e);
            return;
        }
        released();
        if (value != null) {
            try {
                subscriber.onNext(value);
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                ThrownSignal.atNext(subscriber, this, value, t, true);
                UcxBuffer.discard(value);
                return;
            }
        }
        try {
            subscriber.onComplete();
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            ThrownSignal.atEnd(subscriber, t);
        }
    }

    /** Other operations end behind this one: what its subscriber throws must not keep them from that. */
    private void signalError(RuntimeException error) {
        try {
            subscriber.onError(Exceptions.unwrap(error));
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            ThrownSignal.atEnd(subscriber, t);
        }
    }

    @Override
    public final void failed(RuntimeException error) {
        unlink();
        try {
            released();
            if (STATE.getAndSet(this, DONE) != DONE) {
                signalError(explained(error));
            }
        } finally {
            if (engine().isEngineThread()) {
                owner().operationEnded();
            }
        }
    }

    /** Returns whether the subscriber has its outcome, or has cancelled. */
    public final boolean isOver() {
        return state == DONE;
    }

    /** Returns the error that the subscriber gets in place of UCX's. */
    public RuntimeException explained(RuntimeException error) {
        return owner().explained(error, kind());
    }

    @Override
    public final void abandon(RuntimeException error) {
        if (STATE.getAndSet(this, DONE) != DONE) {
            signalError(error);
        }
    }

    private void unlink() {
        if (isInFlight()) {
            owner().unlink(this);
        }
    }

    @Override
    protected final String peer() {
        return owner().peer();
    }
}
