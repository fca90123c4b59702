package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.concurrent.ReceiverSubscription;
import io.reactorucx.internal.message.MessageDecoder.InboundBatch;
import reactor.core.CoreSubscriber;

/** One subscription to the messages of a stream, which a decoder turns into what the subscriber gets. */
public final class ReceiveSubscription<T> extends ReceiverSubscription<T> {

    private final InboundStream input;
    private final MessageDecoder<T> decoder;

    public ReceiveSubscription(InboundStream input, MessageDecoder<T> decoder, CoreSubscriber<? super T> subscriber) {
        super(input.connection().engine(), subscriber);
        this.input = input;
        this.decoder = decoder;
    }

    static <T> void subscribe(InboundStream input, MessageDecoder<T> decoder, CoreSubscriber<? super T> actual) {
        ReceiveSubscription<T> receiver = new ReceiveSubscription<>(input, decoder, actual);
        actual.onSubscribe(receiver);
        input.connection().execute(worker -> input.add(receiver), receiver::terminate);
    }

    /** Delivers a message of the batch that has just arrived. */
    void deliver(InboundBatch batch, int offset, int length) {
        emit(decoder.decode(batch, offset, length));
    }

    /** Delivers a message that has waited. Returns whether there was memory for it. */
    boolean deliver(byte[] message, StreamBuffers buffers) {
        T value = decoder.decode(message, buffers);
        if (value != null) {
            emit(value);
        }
        return value != null;
    }

    /** Delivers a large message that has been fetched. */
    void deliver(UcxBuffer message) {
        emit(decoder.decode(message));
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
        return "[" + input.connection().peer() + "] receive of messages";
    }
}
