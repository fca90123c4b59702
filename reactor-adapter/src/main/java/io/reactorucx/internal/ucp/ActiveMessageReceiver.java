package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.buffer.LeakRecord;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.DropReason;
import io.reactorucx.message.OverflowPolicy;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * One subscription to the active messages of one id on one connection.
 *
 * <p>All state but the demand belongs to the engine's thread: messages wait here, bounded by count and bytes, until
 * they are asked for.
 */
public final class ActiveMessageReceiver implements Subscription {

    private static final Logger LOG = LoggerFactory.getLogger(ActiveMessageReceiver.class);
    private static final AtomicLongFieldUpdater<ActiveMessageReceiver> DEMAND =
            AtomicLongFieldUpdater.newUpdater(ActiveMessageReceiver.class, "demand");

    private final ActiveMessageProtocol protocol;
    private final ConnectionCore connection;
    private final int id;
    private final CoreSubscriber<? super ActiveMessage> subscriber;
    private final CoalescedCommand drain;
    private final ActiveMessageQueue waiting;
    private final @Nullable LeakRecord subscribed;
    private volatile long demand;
    private volatile boolean cancelled;
    private boolean draining;
    private boolean ended;
    private boolean terminated;
    private @Nullable RuntimeException error;

    private ActiveMessageReceiver(ActiveMessageProtocol protocol, int id,
            CoreSubscriber<? super ActiveMessage> subscriber) {
        this.protocol = protocol;
        this.connection = protocol.connection();
        this.id = id;
        this.subscriber = subscriber;
        this.waiting = new ActiveMessageQueue(connection.config().queue());
        this.subscribed = protocol.leaks().place("received");
        this.drain = new CoalescedCommand(connection.engine(), this::drain);
    }

    static Flux<ActiveMessage> flux(ActiveMessageProtocol protocol, int id) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ActiveMessage> actual) {
                ActiveMessageReceiver receiver = new ActiveMessageReceiver(protocol, id, actual);
                actual.onSubscribe(receiver);
                protocol.connection().execute(worker -> receiver.register(), receiver::end);
            }
        };
    }

    private void register() {
        if (!cancelled && !protocol.add(this)) {
            end(new IllegalStateException("active message " + id + ": this connection has a receiver for it already"));
        }
    }

    public int id() {
        return id;
    }

    /** Takes a message, or says why not. */
    @Nullable DropReason offer(UcpActiveMessage message) {
        if (ended || cancelled) {
            return DropReason.NO_RECEIVER;
        }
        OverflowPolicy overflow = connection.config().queue().overflow();
        while (!waiting.hasRoom(message.isRendezvous(), message.length())) {
            ActiveMessage oldest = overflow == OverflowPolicy.DROP_OLDEST ? waiting.poll() : null;
            if (oldest == null) {
                if (overflow == OverflowPolicy.ERROR) {
                    end(new UcxException(UcxStatus.EXCEEDS_LIMIT, "receive of active message " + id, connection.peer(),
                            waiting.toString()));
                }
                return overflow.reason();
            }
            connection.registry().dropped(overflow.reason());
            oldest.discard();
        }
        ActiveMessage received = ReceivedMessage.of(protocol, message, subscribed);
        if (waiting.isEmpty() && demand != 0 && !draining) {
            emitAtOnce(received);
        } else {
            waiting.add(received);
            drain();
        }
        return null;
    }

    /** A message that somebody waits for need not be queued first. */
    private void emitAtOnce(ActiveMessage message) {
        draining = true;
        try {
            Operators.produced(DEMAND, this, 1);
            emit(message);
        } finally {
            draining = false;
        }
        if (cancelled || ended || !waiting.isEmpty()) {
            drain();
        }
    }

    /** No more messages will come: what waits is delivered, then the subscriber hears of the end. */
    public void end(@Nullable RuntimeException cause) {
        if (!ended) {
            ended = true;
            error = cause;
            drain();
        }
    }

    /** Nothing can be delivered any more: what waits is dropped, and the subscriber hears of the end at once. */
    void abandon(RuntimeException cause) {
        waiting.discardAll();
        if (error == null) {
            error = cause;
        }
        ended = true;
        drain();
    }

    private void drain() {
        if (draining) {
            return;
        }
        draining = true;
        try {
            ActiveMessage next = cancelled || demand == 0 ? null : waiting.poll();
            while (next != null) {
                Operators.produced(DEMAND, this, 1);
                emit(next);
                next = cancelled || demand == 0 ? null : waiting.poll();
            }
            if (cancelled) {
                waiting.discardAll();
                protocol.remove(this);
            } else if (ended && waiting.isEmpty() && !terminated) {
                terminated = true;
                protocol.remove(this);
                terminate();
            }
        } finally {
            draining = false;
        }
    }

    private void emit(ActiveMessage message) {
        try {
            subscriber.onNext(message);
        } catch (RuntimeException | LinkageError e) {
            LOG.error("[{}] the receiver of active message {} threw", connection.peer(), id, e);
            cancelled = true;
            message.discard();
        }
    }

    private void terminate() {
        RuntimeException cause = error;
        if (cause == null) {
            subscriber.onComplete();
        } else {
            subscriber.onError(cause);
        }
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            Operators.addCap(DEMAND, this, n);
            if (!connection.engine().isEngineThread() || !draining) {
                drain.submit();
            }
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        if (connection.engine().isEngineThread()) {
            // At once, also within its own signal: whoever leaves there may subscribe again there.
            protocol.remove(this);
        }
        drain.submit();
    }
}
