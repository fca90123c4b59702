package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.ReceiverSubscription;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.OverflowPolicy;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.command.DrainLoop;
import io.reactorucx.transport.connection.ConnectionCore;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * One subscription to the active messages of one id on one connection. Messages wait here for demand, bounded by count
 * and bytes.
 *
 * <p>Thread: {@link #request} and {@link #cancel} any, everything else the engine's.
 */
public final class ActiveMessageReceiver extends ReceiverSubscription<ActiveMessage> {

    private final ActiveMessageProtocol protocol;
    private final ConnectionCore connection;
    private final int id;
    private final ActiveMessageQueue waiting;
    private final @Nullable LeakRecord place;
    private final DrainLoop loop = new DrainLoop() {
        @Override
        protected void round() {
            deliver();
        }
    };
    private boolean ended;
    private @Nullable RuntimeException error;

    private ActiveMessageReceiver(ActiveMessageProtocol protocol, int id,
            CoreSubscriber<? super ActiveMessage> subscriber, @Nullable LeakRecord place) {
        super(protocol.connection().engine(), subscriber);
        this.protocol = protocol;
        this.connection = protocol.connection();
        this.id = id;
        this.waiting = new ActiveMessageQueue(connection.config().queue());
        this.place = place;
    }

    static Flux<ActiveMessage> flux(ActiveMessageProtocol protocol, int id) {
        LeakRecord place = protocol.leaks().place("received");
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ActiveMessage> actual) {
                ActiveMessageReceiver receiver = new ActiveMessageReceiver(protocol, id, actual, place);
                actual.onSubscribe(receiver);
                protocol.connection().execute(worker -> receiver.register(), receiver::end);
            }
        };
    }

    private void register() {
        if (isActive() && !protocol.add(this)) {
            end(new IllegalStateException("active message " + id + ": this connection has a receiver for it already"));
        }
    }

    public int id() {
        return id;
    }

    ActiveMessageQueue waiting() {
        return waiting;
    }

    /** Takes a message. Returns why it was dropped, or null if it was not. */
    @Nullable DropReason offer(UcpActiveMessage message) {
        if (ended || !isActive()) {
            return DropReason.NO_RECEIVER;
        }
        OverflowPolicy overflow = connection.config().queue().overflow();
        boolean room = waiting.makeRoom(message.isRendezvous(), message.length(), oldest -> {
            connection.registry().dropped(overflow.reason());
            oldest.discard();
        });
        if (!room) {
            if (overflow == OverflowPolicy.ERROR) {
                end(new UcxException(UcxStatus.EXCEEDS_LIMIT, "receive of active message " + id, connection.peer(),
                        waiting.toString()));
            }
            return overflow.reason();
        }
        protocol.countReceived(message);
        ReceivedMessage received = ReceivedMessage.of(protocol, message, id, place);
        if (waiting.isEmpty() && wants() && !loop.isDraining()) {
            deliverUnqueued(received);
        } else {
            waiting.add(received);
            loop.loop();
        }
        return null;
    }

    /** Delivers what has come before this receiver. */
    void claimed(@Nullable RuntimeException whenDelivered) {
        if (whenDelivered != null) {
            end(whenDelivered);
        } else {
            loop.loop();
        }
    }

    private void deliverUnqueued(ActiveMessage message) {
        loop.beginSignal();
        try {
            emit(message);
        } finally {
            loop.endSignal();
        }
        if (!isActive() || ended || !waiting.isEmpty()) {
            loop.loop();
        }
    }

    private void deliver() {
        ActiveMessage next = wants() ? waiting.poll() : null;
        while (next != null) {
            emit(next);
            next = wants() ? waiting.poll() : null;
        }
        if (!isActive()) {
            waiting.discardAll();
            protocol.remove(this);
        } else if (ended && waiting.isEmpty()) {
            protocol.remove(this);
            terminate(error);
        }
    }

    /** No more messages will come: the subscription ends after those that wait. */
    public void end(@Nullable RuntimeException cause) {
        if (!ended) {
            ended = true;
            error = cause;
            loop.loop();
        }
    }

    /** Nothing can be delivered any more: what waits is dropped, and the subscription fails at once. */
    void abandon(RuntimeException cause) {
        waiting.discardAll();
        if (error == null) {
            error = cause;
        }
        ended = true;
        loop.loop();
    }

    @Override
    protected void demanded() {
        loop.loop();
    }

    @Override
    protected void left() {
        // At once, also from within onNext: the subscriber may subscribe again from there.
        protocol.remove(this);
        loop.loop();
    }

    @Override
    protected void discard(ActiveMessage message) {
        message.discard();
    }

    @Override
    protected String description() {
        return "[" + connection.peer() + "] receive of active message " + id;
    }
}
