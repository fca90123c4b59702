package io.reactorucx.internal.message.receive;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.concurrent.ReceiverSubscription;
import io.reactorucx.internal.lease.ReceiverName;
import io.reactorucx.internal.message.batch.InboundBatch;
import io.reactorucx.internal.message.context.StreamBuffers;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.buffer.LeaseOrigin;
import io.reactorucx.transport.connection.ConnectionCore;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** One subscription to the messages of a stream, which a decoder turns into what the subscriber gets. */
public final class ReceiveSubscription<T> extends ReceiverSubscription<T> {

    private final InboundStream input;
    private final MessageDecoder<T> decoder;
    private final String received;
    private final Object receiver;
    private final @Nullable LeakRecord place;

    /**
     * Creates a subscription.
     *
     * @param receiver named by the report of a leak: the subscriber or handler of the application
     * @param place where the application asked for the messages, for the report of a leak
     */
    public ReceiveSubscription(InboundStream input, MessageDecoder<T> decoder, CoreSubscriber<? super T> subscriber,
            Object receiver, @Nullable LeakRecord place) {
        super(input.context().connection().engine(), subscriber);
        this.input = input;
        this.decoder = decoder;
        this.received = input.received();
        this.receiver = receiver;
        this.place = place;
    }

    public void subscribe() {
        subscriber().onSubscribe(this);
        input.context().connection().execute(worker -> input.add(this), this::terminate);
    }

    /** Names the receiver in the report of a leak. */
    private void mark(Object message) {
        LeaseOrigin.add(message, received, input.context().connection().peer(), receiver, ReceiverName::of, place);
    }

    /** Delivers a message of the batch that has just arrived. */
    void deliver(InboundBatch batch, int offset, int length) {
        T value = decoder.decode(batch, offset, length);
        mark(value);
        emit(value);
    }

    /** Delivers a message that has waited. Returns whether there was memory for it. */
    boolean deliver(byte[] message, StreamBuffers buffers) {
        T value = decoder.decode(message, buffers);
        if (value != null) {
            mark(value);
            emit(value);
        }
        return value != null;
    }

    /** Delivers a large message that has been fetched. */
    void deliver(UcxBuffer message) {
        mark(message);
        emit(decoder.decode(message));
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
        if (value instanceof UcxBuffer lease) {
            lease.dispose();
        }
    }

    @Override
    protected String description() {
        return "[" + input.context().connection().peer() + "] receive of messages";
    }
}
