package io.reactorucx.internal.concurrent;

import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.transport.command.CoalescedCommand;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * One subscription to something that a connection receives: its demand, its cancellation and its end.
 *
 * <p>Thread: {@link #request} and {@link #cancel} any, everything else the engine's.
 */
public abstract class ReceiverSubscription<T> implements Subscription {

    private static final Logger LOG = LoggerFactory.getLogger(ReceiverSubscription.class);
    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<ReceiverSubscription> DEMAND =
            AtomicLongFieldUpdater.newUpdater(ReceiverSubscription.class, "demand");

    private final CommandExecutor engine;
    private final CoreSubscriber<? super T> subscriber;
    /** Allocated when another thread requests or cancels. */
    private @Nullable CoalescedCommand change;
    /** All that was ever requested, of which {@link #delivered} have been emitted. */
    private volatile long demand;
    private long delivered;
    private volatile boolean cancelled;
    private volatile @Nullable IllegalArgumentException badRequest;
    private boolean terminated;

    protected ReceiverSubscription(CommandExecutor engine, CoreSubscriber<? super T> subscriber) {
        this.engine = engine;
        this.subscriber = subscriber;
    }

    /** The subscriber has requested more. */
    protected abstract void demanded();

    /** The subscriber has cancelled, has thrown, or has made a bad request: it gets nothing more. */
    protected abstract void left();

    /** Releases a value that the subscriber has thrown at. */
    protected abstract void discard(T value);

    /** Returns the peer and what is received, for the log. */
    protected abstract String description();

    @Override
    public final void request(long n) {
        if (n <= 0) {
            badRequest = new IllegalArgumentException("request of " + n
                    + ": must be at least 1 (rule 3.9 of Reactive Streams)");
        } else {
            Operators.addCap(DEMAND, this, n);
        }
        submit();
    }

    @Override
    public final void cancel() {
        cancelled = true;
        submit();
    }

    private void submit() {
        if (engine.isEngineThread()) {
            changed();
        } else {
            command().submit();
        }
    }

    private synchronized CoalescedCommand command() {
        if (change == null) {
            change = CoalescedCommand.urgent(engine, this::changed);
        }
        return change;
    }

    private void changed() {
        IllegalArgumentException bad = badRequest;
        if (cancelled) {
            left();
        } else if (bad != null && !terminated) {
            terminated = true;
            left();
            signalEnd(bad);
        } else {
            demanded();
        }
    }

    /** Returns how many values the subscriber still takes. */
    public final long demand() {
        long all = demand;
        return all == Long.MAX_VALUE ? all : all - delivered;
    }

    /** Returns whether a value may be emitted. */
    public final boolean wants() {
        return delivered < demand && isActive();
    }

    /** Returns whether the subscriber has neither cancelled nor thrown, and has not been signalled its end. */
    public final boolean isActive() {
        return !cancelled && !terminated;
    }

    protected final CoreSubscriber<? super T> subscriber() {
        return subscriber;
    }

    /** Emits a value. A subscriber that throws is treated as {@link ThrownSignal} says. */
    protected final void emit(T value) {
        delivered++;
        try {
            subscriber.onNext(value);
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            LOG.debug("{}: the subscriber threw", description(), ApplicationErrors.printable(t));
            ThrownSignal.atNext(subscriber, this, value, t, isActive());
            discard(value);
        }
    }

    /** What was received makes no value: the subscription leaves, and ends with that error. */
    protected final void fail(Throwable error) {
        if (isActive()) {
            terminated = true;
            left();
            signalEnd(error);
        } else {
            ThrownSignal.atEnd(subscriber, error);
        }
    }

    /** Completes the subscription, or fails it with an error, unless it has ended before. */
    public final void terminate(@Nullable Throwable error) {
        if (isActive()) {
            terminated = true;
            signalEnd(error);
        }
    }

    private void signalEnd(@Nullable Throwable error) {
        try {
            if (error == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(error);
            }
        } catch (RuntimeException | Error e) {
            LOG.debug("{}: the subscriber threw at its end", description(), e);
            ThrownSignal.atEnd(subscriber, e);
        }
    }
}
