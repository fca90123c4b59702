package io.reactorucx.internal.message.receive;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.MessageDecoder;
import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.codec.InboundMessage;
import io.reactorucx.internal.concurrent.ReceiverSubscription;
import io.reactorucx.internal.lease.ReceiverName;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.buffer.Lease;
import io.reactorucx.transport.command.RetryingCommand;
import io.reactorucx.transport.connection.ConnectionCore;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** One subscription to the messages of a stream, which a decoder turns into what the subscriber gets. */
public final class ReceiveSubscription<T> extends ReceiverSubscription<T> {

    private final InboundStream input;
    private final MessageDecoder<? extends T> decoder;
    private final InboundMessage message = new InboundMessage();
    private final String received;
    private final Object receiver;
    private final @Nullable LeakRecord place;

    /**
     * Creates a subscription.
     *
     * @param receiver named by the report of a leak: the subscriber or handler of the application
     * @param place where the application asked for the messages, for the report of a leak
     */
    public ReceiveSubscription(InboundStream input, MessageDecoder<? extends T> decoder,
            CoreSubscriber<? super T> subscriber, Object receiver, @Nullable LeakRecord place) {
        super(input.context().connection().engine(), subscriber);
        this.input = input;
        this.decoder = decoder;
        this.received = input.received();
        this.receiver = receiver;
        this.place = place;
    }

    public void subscribe() {
        subscriber().onSubscribe(this);
        new RetryingCommand(input.context().connection().engine(), worker -> input.add(this), this::terminate).submit();
    }

    /** Names the receiver in the report of a leak. */
    private void mark(Object value) {
        Lease.addOrigin(value, received, input.context().connection().peer(), receiver, ReceiverName::of, place);
    }

    /** Delivers a message of the batch that has just arrived. */
    void deliver(InboundBatch batch, int offset, int length) {
        deliver(message.of(batch, offset, length).decode(decoder));
    }

    /** Delivers a message that has waited. Returns whether there was memory for it. */
    boolean deliver(byte[] waiting, InboundMessage.Memory memory) {
        T value = message.of(waiting, memory).decode(decoder);
        if (value == null && message.isWaiting()) {
            return false;
        }
        deliver(value);
        return true;
    }

    /** Delivers a large message that has been fetched. */
    void deliver(UcxBuffer fetched) {
        mark(fetched);
        deliver(message.of(fetched).decode(decoder));
    }

    /** Emits what the decoder has returned, or fails; throws what the pool has, for the message to wait. */
    private void deliver(@Nullable T value) {
        if (value != null) {
            mark(value);
            emit(value);
            return;
        }
        RuntimeException refusal = message.refusal();
        if (refusal != null) {
            throw refusal;
        }
        fail(message.failure());
    }

    /** Returns whether this receives on a connection, and no message waits for the subscriber. */
    public boolean isIdleAt(ConnectionCore connection) {
        return input.context().connection() == connection && !input.hasQueued();
    }

    @Override
    protected void demanded() {
        input.demanded(this);
    }

    @Override
    protected void left() {
        input.left(this);
    }

    @Override
    protected void discard(T value) {
        UcxBuffer.discard(value);
    }

    @Override
    protected String description() {
        return "[" + input.context().connection().peer() + "] receive of messages";
    }
}
