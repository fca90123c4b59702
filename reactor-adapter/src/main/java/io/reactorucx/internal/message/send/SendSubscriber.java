package io.reactorucx.internal.message.send;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.internal.codec.OutgoingMessage;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.message.context.FlushScope;
import io.reactorucx.internal.message.receive.ReceiveSubscription;
import io.reactorucx.transport.command.CoalescedCommand;
import io.reactorucx.transport.command.RetryingCommand;
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
import reactor.core.Fuseable;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.concurrent.Queues;
import reactor.util.context.Context;

/**
 * One subscription to a send. It requests messages from a source, at most what the peer gives credit for, and queues
 * them until {@link OutboundStream} writes them.
 *
 * <p>Thread: the source signals on any thread, everything else is the engine's. A message is an {@link UcxBuffer},
 * released when UCX has finished with it or when it cannot be sent, a {@code byte[]}, or an {@link OutgoingMessage},
 * released when it was copied or cannot be sent.
 */
public final class SendSubscriber<T> implements CoreSubscriber<T>, Subscription {

    private static final Logger LOG = LoggerFactory.getLogger(SendSubscriber.class);
    private static final int MAX_OPERATORS = 100;

    private final OutboundStream output;
    private final CommandExecutor engine;
    private final FlushScope scope;
    private final Function<? super T, Object> encoder;
    private final CoreSubscriber<? super Void> subscriber;
    private final Queue<Object> messages;
    /** Allocated when the source first signals on another thread. */
    private @Nullable CoalescedCommand submitted;
    private @Nullable Subscription source;
    private volatile boolean done;
    private @Nullable Throwable error;
    private volatile boolean ended;
    private volatile long requested;
    private long received;
    private long sent;
    private int rendezvousInFlight;
    private int lastOffer;
    private Notification notification = Notification.NONE;
    private @Nullable RuntimeException badMessage;

    /** Where the engine looks for what the source has signalled. */
    private enum Notification {
        NONE,
        /** After the flush, when {@link #flushed} is called. */
        AFTER_FLUSH,
        /** Right after the call into the source that is in progress. */
        AFTER_CALL
    }

    private SendSubscriber(OutboundStream output, Function<? super T, Object> encoder,
            CoreSubscriber<? super Void> subscriber, Queue<Object> messages) {
        this.output = output;
        this.engine = output.context().connection().engine();
        this.scope = output.context().scope();
        this.encoder = encoder;
        this.subscriber = subscriber;
        this.messages = messages;
    }

    /** Returns what sends the source's messages, and completes when all of them have been sent. */
    public static <T> Mono<Void> mono(OutboundStream output, Publisher<? extends T> source,
            Function<? super T, Object> encoder) {
        Objects.requireNonNull(source, "source");
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Void> actual) {
                send(output, source, encoder, actual);
            }
        };
    }

    /** Subscribes to the source; the subscriber is signalled when all of its messages have been sent. */
    public static <T> void send(OutboundStream output, Publisher<? extends T> source,
            Function<? super T, Object> encoder, CoreSubscriber<? super Void> subscriber) {
        if (source instanceof Fuseable.ScalarCallable<?> only && refuses(output, only, subscriber)) {
            return;
        }
        Queue<Object> messages = source instanceof Mono ? Queues.one().get()
                : Queues.unbounded(Queues.XS_BUFFER_SIZE).get();
        SendSubscriber<T> send = new SendSubscriber<>(output, encoder, subscriber, messages);
        try {
            source.subscribe(send);
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            send.threw(ApplicationErrors.signal(Exceptions.unwrap(t)));
        }
    }

    /**
     * Fails a send whose only message is known to be larger than the peer takes, and returns whether it did: its source
     * is not asked for the message before the peer's receiver is.
     */
    private static boolean refuses(OutboundStream output, Fuseable.ScalarCallable<?> source,
            CoreSubscriber<? super Void> subscriber) {
        try {
            Object message = source.call();
            try {
                output.context().peer().checkLength(switch (message) {
                    case byte[] bytes -> bytes.length;
                    case UcxBuffer lease -> lease.length();
                    // At least a byte for each character.
                    case CharSequence text -> text.length();
                    case null, default -> 0;
                });
                return false;
            } catch (IllegalArgumentException e) {
                release(message);
                throw e;
            }
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            Operators.error(subscriber, ApplicationErrors.signal(Exceptions.unwrap(t)));
            return true;
        }
    }

    /** The source has thrown when it was subscribed to, as Reactor's do for some errors. */
    private void threw(Throwable thrown) {
        if (source == null) {
            Operators.error(subscriber, thrown);
        } else if (!done) {
            cancelSource();
            onError(thrown);
        }
    }

    /**
     * Returns whether the source is what this connection receives, of which no message waits here. Then it is the peer
     * that waits, if it has something to send, and its watch says so.
     */
    boolean isIdleEcho() {
        Object upstream = source;
        try {
            for (int i = 0; i < MAX_OPERATORS && upstream instanceof Scannable operator; i++) {
                if (operator.scanOrDefault(Scannable.Attr.BUFFERED, 0) > 0) {
                    return false;
                }
                upstream = operator.scanUnsafe(Scannable.Attr.PARENT);
            }
        } catch (RuntimeException e) {
            // An operator of the application may throw.
            return false;
        }
        return upstream instanceof ReceiveSubscription<?> receive && receive.isIdleAt(output.context().connection());
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
        if (engine.isEngineThread()) {
            output.add(this);
        } else {
            new RetryingCommand(engine, worker -> output.add(this), this::fail).submit();
        }
    }

    @Override
    public void onNext(T value) {
        Objects.requireNonNull(value, "value");
        if (source == null) {
            failUnsubscribed(null);
        }
        if (ended || done) {
            if (value instanceof UcxBuffer) {
                // Not by the discard hook as well, which a subscriber of leases sets to release them.
                release(value);
            } else {
                Operators.onDiscard(value, currentContext());
            }
            return;
        }
        Object message = value;
        try {
            message = encoder.apply(value);
            long length = length(message);
            if (length > output.context().peer().maxMessageBytes()) {
                output.context().peer().checkLength(length);
            }
            long before = received++;
            if (before >= requested) {
                throw Exceptions.failWithOverflow("the source sent more than it was asked for");
            }
            if (!(message instanceof UcxBuffer) && scope.isHere() && before == sent
                    && output.writeNow(message, length)) {
                sentNow(message);
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
        submit();
    }

    @Override
    public void onError(Throwable failure) {
        if (source == null) {
            failUnsubscribed(failure);
            return;
        }
        if (done) {
            Operators.onErrorDropped(failure, currentContext());
            return;
        }
        error = failure;
        done = true;
        submit();
    }

    @Override
    public void onComplete() {
        if (source == null) {
            failUnsubscribed(null);
            return;
        }
        done = true;
        submit();
    }

    /** The source signals before it has called onSubscribe. */
    private void failUnsubscribed(@Nullable Throwable failure) {
        source = Operators.emptySubscription();
        done = true;
        ended = true;
        Operators.error(subscriber, ApplicationErrors.notSubscribed(failure));
    }

    /** Hands what the source has signalled to the engine's thread: at most one command waits in the engine's queue. */
    private void submit() {
        if (engine.isEngineThread()) {
            ready();
        } else {
            if (submitted == null) {
                submitted = new CoalescedCommand(engine, this::ready, this::discard);
            }
            submitted.submit();
        }
    }

    private void ready() {
        if (ended) {
            discard();
        } else if (notification != Notification.AFTER_CALL) {
            output.senderReady(this);
        }
    }

    /** Lets the source produce within the call. Returns whether it has ended, and all of its messages were written. */
    boolean produce(long allowance) {
        notification = Notification.AFTER_CALL;
        try {
            replenish(allowance);
        } finally {
            notification = Notification.NONE;
        }
        return !ended && badMessage == null && isFinished();
    }

    /** Requests more from the source once it has used up half of the allowance. */
    void replenish(long allowance) {
        long outstanding = requested - sent;
        if (!done && !ended && allowance > outstanding && outstanding <= allowance / 2) {
            long more = allowance - outstanding;
            // Before the call, within which the source may signal.
            requested = sent + allowance;
            try {
                Objects.requireNonNull(source).request(more);
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                stopSource(ApplicationErrors.signal(Exceptions.unwrap(t)));
            }
        }
    }

    /** Returns the next message, or null if there is none. */
    @Nullable Object peek() {
        return badMessage == null ? messages.peek() : null;
    }

    /** A message was written into the open batch and never queued. */
    private void sentNow(Object message) {
        sent++;
        notifyAfterFlush();
        release(message);
    }

    /** The next message was written into a batch. */
    void sent() {
        release(messages.poll());
        sent++;
        notifyAfterFlush();
    }

    /** The next message was posted under a number, for the peer to fetch. */
    void offered(int number) {
        Object message = messages.poll();
        sent++;
        rendezvousInFlight++;
        lastOffer = number;
        if (!(message instanceof UcxBuffer)) {
            release(message);
        }
        notifyAfterFlush();
    }

    /** The peer has fetched a large message. */
    void rendezvousCompleted() {
        rendezvousInFlight--;
        notifyAfterFlush();
    }

    /** The next message cannot be sent, which ends the send with that error. */
    void rejectMessage(RuntimeException why) {
        badMessage = why;
        notifyAfterFlush();
    }

    boolean hasBadMessage() {
        return badMessage != null;
    }

    void notifyAfterFlush() {
        if (notification == Notification.NONE) {
            output.notifyAfterFlush(this);
            notification = Notification.AFTER_FLUSH;
        }
    }

    /** The messages that could be sent have been sent: ends, or requests more from the source. */
    void flushed() {
        notification = Notification.NONE;
        if (ended) {
            discard();
        } else if (badMessage != null) {
            output.remove(this);
            fail(badMessage);
        } else if (isFinished()) {
            output.remove(this);
            finish();
        } else {
            output.notified(this);
            replenish(output.allowance());
        }
    }

    /** Returns whether the subscriber has been signalled or has cancelled. */
    boolean hasEnded() {
        return ended;
    }

    /** Returns how many messages were written or posted. */
    public long sentMessages() {
        return sent;
    }

    /** Returns how many large messages the peer was offered and has not fetched. */
    public int offered() {
        return rendezvousInFlight;
    }

    /** Returns the number of the last large message that the peer was offered. */
    int lastOffer() {
        return lastOffer;
    }

    /** Returns whether there is a message to send, or nothing more to do. */
    boolean isActive() {
        return !messages.isEmpty() || isFinished();
    }

    private boolean isFinished() {
        return hasSentAll() && rendezvousInFlight == 0;
    }

    /** Returns whether the source has ended, or is asked for no more. */
    boolean isDone() {
        return done;
    }

    /** Returns whether all messages were written or posted. */
    boolean hasSentAll() {
        return done && messages.isEmpty();
    }

    /** Signals the end of the source, all of whose messages have been sent. */
    void finish() {
        ended = true;
        Throwable failure = error;
        guarded(failure != null ? () -> subscriber.onError(failure) : subscriber::onComplete);
    }

    /** Cancels the source. What was queued is sent; then the send fails, unless the source has ended before. */
    void stopSource(Throwable reason) {
        if (!done && !ended) {
            cancelSource();
            error = reason;
            done = true;
            notifyAfterFlush();
        }
    }

    /** Fails the send, unless all of its messages have been sent. */
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

    /** A source or a subscriber that throws must not stop the other sends of the connection. */
    private void guarded(Runnable signal) {
        try {
            signal.run();
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            LOG.error("[{}] the source or the subscriber of a send threw", output.context().connection().name(),
                    ApplicationErrors.printable(t));
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
            new RetryingCommand(engine, worker -> {
                output.remove(this);
                discard();
            }, closed -> discard(), true).submit();
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
        return message instanceof byte[] bytes ? bytes.length
                : message instanceof UcxBuffer buffer ? buffer.length() : ((OutgoingMessage) message).length();
    }

    static void release(@Nullable Object message) {
        if (message instanceof UcxBuffer buffer) {
            buffer.dispose();
        } else if (message instanceof OutgoingMessage outgoing) {
            outgoing.release();
        }
    }
}
