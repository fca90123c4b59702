package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * One subscription to the messages of a stream. All but the demand and the cancellation belongs to the engine's thread.
 */
public final class ReceiveSubscription<T> implements Subscription {

    private static final Logger LOG = LoggerFactory.getLogger(ReceiveSubscription.class);
    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<ReceiveSubscription> DEMAND =
            AtomicLongFieldUpdater.newUpdater(ReceiveSubscription.class, "demand");

    private final InboundStream input;
    private final MessageDecoder<T> decoder;
    private final CoreSubscriber<? super T> subscriber;
    /** Made when another thread has something to say. */
    private @Nullable CoalescedCommand changed;
    /** All that was ever asked for, of which {@link #delivered} have come. */
    private volatile long demand;
    private long delivered;
    private volatile boolean cancelled;
    private volatile @Nullable IllegalArgumentException badRequest;
    private boolean terminated;

    public ReceiveSubscription(InboundStream input, MessageDecoder<T> decoder, CoreSubscriber<? super T> subscriber) {
        this.input = input;
        this.decoder = decoder;
        this.subscriber = subscriber;
    }

    static <T> Flux<T> flux(InboundStream input, MessageDecoder<T> decoder) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                ReceiveSubscription<T> receiver = new ReceiveSubscription<>(input, decoder, actual);
                actual.onSubscribe(receiver);
                input.connection().execute(worker -> input.add(receiver), receiver::terminate);
            }
        };
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            badRequest = new IllegalArgumentException("request of " + n
                    + ": must be at least 1 (rule 3.9 of Reactive Streams)");
        } else {
            Operators.addCap(DEMAND, this, n);
        }
        tell();
    }

    @Override
    public void cancel() {
        cancelled = true;
        tell();
    }

    private void tell() {
        if (input.connection().engine().isEngineThread()) {
            changed();
        } else {
            command().submit();
        }
    }

    private synchronized CoalescedCommand command() {
        if (changed == null) {
            changed = new CoalescedCommand(input.connection().engine(), this::changed);
        }
        return changed;
    }

    private void changed() {
        if (cancelled) {
            input.left(this);
        } else if (badRequest != null) {
            input.left(this);
            terminate(badRequest);
        } else {
            input.demanded(this);
        }
    }

    boolean isCancelled() {
        return cancelled;
    }

    long demand() {
        long all = demand;
        return all == Long.MAX_VALUE ? all : all - delivered;
    }

    /** Whether a message may be delivered. */
    boolean wants() {
        return delivered < demand && !cancelled && !terminated;
    }

    void deliver(InboundBatch batch, int offset, int length) {
        next(decoder.decode(batch, offset, length));
    }

    /** Answers whether there was memory for that. */
    boolean deliver(byte[] message, StreamBuffers memory) {
        T value = decoder.decode(message, memory);
        if (value != null) {
            next(value);
        }
        return value != null;
    }

    void deliver(UcxBuffer message) {
        next(decoder.decode(message));
    }

    private void next(T value) {
        delivered++;
        try {
            subscriber.onNext(value);
        } catch (RuntimeException | LinkageError e) {
            LOG.error("[{}] a receiver of messages threw", input.connection().peer(), e);
            if (value instanceof UcxBuffer lease) {
                lease.dispose();
            }
            cancelled = true;
            input.left(this);
        }
    }

    void terminate(@Nullable Throwable error) {
        if (terminated || cancelled) {
            return;
        }
        terminated = true;
        try {
            if (error == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(error);
            }
        } catch (RuntimeException | LinkageError e) {
            LOG.error("[{}] a receiver of messages threw at its end", input.connection().peer(), e);
        }
    }
}
