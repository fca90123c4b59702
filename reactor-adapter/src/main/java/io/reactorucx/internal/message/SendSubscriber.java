package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.concurrent.Queues;
import reactor.util.context.Context;

/**
 * One subscription to a send: takes messages from a source, no more than the peer has given credit for, and keeps them
 * until they go.
 *
 * <p>Signals of the source come from any thread, one after the other; all else belongs to the engine's thread. A
 * message is an {@link UcxBuffer}, released when UCX is done with it or nobody will send it, or a {@code byte[]}.
 */
final class SendSubscriber<T> implements CoreSubscriber<T>, Subscription {

    private static final Logger LOG = LoggerFactory.getLogger(SendSubscriber.class);

    private final OutboundStream output;
    private final ProgressEngine engine;
    private final Function<? super T, Object> encoder;
    private final CoreSubscriber<? super Void> subscriber;
    private final Queue<Object> messages;
    /** Made when the source first speaks on another thread. */
    private @Nullable CoalescedCommand arrived;
    private @Nullable Subscription source;
    private volatile boolean done;
    private @Nullable Throwable error;
    private volatile boolean ended;
    private volatile long requested;
    private long received;
    private long sent;
    private int offers;
    private boolean unsettled;
    private @Nullable RuntimeException badMessage;

    private SendSubscriber(OutboundStream output, Function<? super T, Object> encoder,
            CoreSubscriber<? super Void> subscriber,
            Queue<Object> messages) {
        this.output = output;
        this.engine = output.connection().engine();
        this.encoder = encoder;
        this.subscriber = subscriber;
        this.messages = messages;
    }

    static <T> Mono<Void> mono(OutboundStream output, Publisher<? extends T> source,
            Function<? super T, Object> encoder) {
        Objects.requireNonNull(source, "source");
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Void> actual) {
                send(output, source, encoder, actual);
            }
        };
    }

    /** Subscribes for whoever waits until all has gone. */
    static <T> void send(OutboundStream output, Publisher<? extends T> source, Function<? super T, Object> encoder,
            CoreSubscriber<? super Void> subscriber) {
        Queue<Object> messages = source instanceof Mono ? Queues.one().get()
                : Queues.unbounded(Queues.XS_BUFFER_SIZE).get();
        source.subscribe(new SendSubscriber<T>(output, encoder, subscriber, messages));
    }

    @Override
    public Context currentContext() {
        return subscriber.currentContext();
    }

    @Override
    public void onSubscribe(Subscription upstream) {
        if (!Operators.validate(source, upstream)) {
            return;
        }
        source = upstream;
        subscriber.onSubscribe(this);
        if (isHere()) {
            output.add(this);
        } else {
            output.connection().execute(worker -> output.add(this), this::fail);
        }
    }

    @Override
    public void onNext(T value) {
        Objects.requireNonNull(value, "value");
        if (ended || done) {
            if (value instanceof UcxBuffer) {
                // Once: what its subscriber does with discarded ones is the same.
                release(value);
            } else {
                Operators.onDiscard(value, currentContext());
            }
            return;
        }
        Object message = value;
        try {
            message = encoder.apply(value);
            output.checkLength(length(message));
            long before = received++;
            if (before >= requested) {
                throw Exceptions.failWithOverflow("the source sent more than it was asked for");
            }
            if (message instanceof byte[] bytes && isHere() && before == sent && output.sendAtOnce(this, bytes)) {
                return;
            }
            if (!messages.offer(message)) {
                throw Exceptions.failWithOverflow("the source is a Mono and sent more than one message");
            }
        } catch (RuntimeException e) {
            release(message);
            cancelSource();
            onError(e);
            return;
        }
        tell();
    }

    @Override
    public void onError(Throwable failure) {
        if (done) {
            Operators.onErrorDropped(failure, currentContext());
            return;
        }
        error = failure;
        done = true;
        tell();
    }

    @Override
    public void onComplete() {
        done = true;
        tell();
    }

    private void tell() {
        if (isHere()) {
            arrived();
            return;
        }
        if (arrived == null) {
            arrived = new CoalescedCommand(output.connection().engine(), this::arrived, this::discard);
        }
        arrived.submit();
    }

    private boolean isHere() {
        return engine.isEngineThread();
    }

    private void arrived() {
        if (ended) {
            discard();
        } else {
            output.arrived(this);
        }
    }

    /** Lets the source send as much as may be under way. */
    void replenish(long allowed) {
        long outstanding = requested - sent;
        if (!done && !ended && allowed > outstanding && outstanding <= allowed / 2) {
            long more = allowed - outstanding;
            // Before the source hears of it, which may answer within the call.
            requested = sent + allowed;
            try {
                Objects.requireNonNull(source).request(more);
            } catch (RuntimeException | LinkageError e) {
                takeNoMore(e);
            }
        }
    }

    /** The next message; null when there is none. */
    @Nullable Object peek() {
        return badMessage == null ? messages.peek() : null;
    }

    /** The next message cannot be sent, which ends this. */
    void spoiled(RuntimeException why) {
        badMessage = why;
        settleLater();
    }

    /** Whether it has a message to send, or nothing more to do. */
    boolean hasEnded() {
        return ended;
    }

    boolean isActive() {
        return !messages.isEmpty() || isFinished();
    }

    private boolean isFinished() {
        return hasSentAll() && offers == 0;
    }

    /** Whether all of its messages have gone, or are offered to the peer. */
    boolean hasSentAll() {
        return done && messages.isEmpty();
    }

    /** A message has gone that never waited here. */
    void sentAtOnce() {
        sent++;
        settleLater();
    }

    /** The next message has gone, copied, or is offered to the peer. */
    void taken(boolean offered) {
        Object message = messages.poll();
        sent++;
        if (offered) {
            offers++;
        } else if (message != null) {
            release(message);
        }
        settleLater();
    }

    /** The peer has fetched a message that was offered. */
    void fetched() {
        offers--;
        settleLater();
    }

    void settleLater() {
        if (!unsettled) {
            unsettled = true;
            output.unsettled(this);
        }
    }

    /** After what could be sent has been sent. */
    void settle() {
        unsettled = false;
        if (ended) {
            discard();
        } else if (badMessage != null) {
            output.remove(this);
            fail(badMessage);
        } else if (isFinished()) {
            output.remove(this);
            finish();
        } else {
            replenish(output.allowed());
        }
    }

    private void finish() {
        ended = true;
        Throwable failure = error;
        if (failure != null) {
            guarded(() -> subscriber.onError(failure));
        } else {
            guarded(subscriber::onComplete);
        }
    }

    /** A source or a subscriber that throws must not stop the others on this connection. */
    private void guarded(Runnable signal) {
        try {
            signal.run();
        } catch (RuntimeException | LinkageError e) {
            LOG.error("[{}] the source or the subscriber of a send threw", output.connection().peer(), e);
        }
    }

    /** Nothing more is taken from the source; what was taken goes, unless the source ends in time with the error. */
    void takeNoMore(Throwable reason) {
        if (!done && !ended) {
            cancelSource();
            error = reason;
            done = true;
            settleLater();
        }
    }

    /** Nothing more can be sent, which is no failure of one that has sent all. */
    void fail(RuntimeException reason) {
        if (!ended && isFinished()) {
            finish();
        } else if (!ended) {
            ended = true;
            cancelSource();
            discard();
            guarded(() -> subscriber.onError(reason));
        }
    }

    @Override
    public void request(long n) {
        Operators.validate(n);
    }

    @Override
    public void cancel() {
        if (!ended) {
            ended = true;
            cancelSource();
            output.connection().execute(worker -> {
                output.remove(this);
                discard();
            }, closed -> discard());
        }
    }

    private void cancelSource() {
        guarded(Objects.requireNonNull(source)::cancel);
    }

    private void discard() {
        for (Object message = messages.poll(); message != null; message = messages.poll()) {
            release(message);
        }
    }

    static long length(Object message) {
        return message instanceof UcxBuffer buffer ? buffer.length() : ((byte[]) message).length;
    }

    private static void release(Object message) {
        if (message instanceof UcxBuffer buffer) {
            buffer.dispose();
        }
    }
}
