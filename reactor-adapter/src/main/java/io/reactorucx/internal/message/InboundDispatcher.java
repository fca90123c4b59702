package io.reactorucx.internal.message;

import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.SequenceWindow;
import io.reactorucx.internal.message.context.LargeOffer;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.internal.message.receive.InboundStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes the active messages of the peer in the order in which they were sent: batches, whose frames go to
 * {@link InboundFrames}, and large messages, which go to their stream.
 *
 * <p>Thread: engine.
 */
final class InboundDispatcher {

    private final StreamContext context;
    private final SequenceWindow sequence;
    private final MessageStreams streams;
    private final MessageProtocol protocol;
    private final InboundBatch batch;
    private final InboundFrames frames;

    InboundDispatcher(StreamContext context, SequenceWindow sequence, MessageStreams streams,
            MessageProtocol protocol) {
        this.context = context;
        this.sequence = sequence;
        this.streams = streams;
        this.protocol = protocol;
        this.batch = new InboundBatch(context.pool());
        this.frames = new InboundFrames(protocol, context, streams, batch);
    }

    /** Takes a batch, the first {@code size} bytes of an array that is lent, and those that came too early. */
    void received(byte[] bytes, int size) {
        int number = MessageFrameCodec.sequence(bytes, size);
        if (sequence.isNext(number)) {
            sequence.arrived(bytes, number, size);
            batch(bytes, size);
            applyEarly();
        } else if (!sequence.arrived(Arrays.copyOf(bytes, size), number, size)) {
            context.counters().held(size);
        }
    }

    /** Takes a large message, and those that came too early. */
    void received(LargeOffer offer) {
        context.requireTaken(offer.length());
        if (sequence.arrived(offer, MessageFrameCodec.sequence(offer.header()), 0)) {
            large(offer);
            applyEarly();
        }
    }

    private void applyEarly() {
        for (Object next = nextEarly(); next != null; next = nextEarly()) {
            apply(next);
        }
    }

    private void apply(Object message) {
        if (message instanceof LargeOffer large) {
            large(large);
        } else if (!protocol.isEnded()) {
            byte[] bytes = (byte[]) message;
            batch(bytes, bytes.length);
        }
    }

    private @Nullable Object nextEarly() {
        Object next = sequence.advance();
        noLongerHeld(next);
        return next;
    }

    private void noLongerHeld(@Nullable Object early) {
        if (early instanceof byte[] batched) {
            context.counters().held(-batched.length);
        }
    }

    private void large(LargeOffer message) {
        MultiplexedStream stream = null;
        InboundStream input = null;
        try {
            if (!protocol.isEnded()) {
                byte[] header = message.header();
                stream = streams.find(MessageFrameCodec.stream(header));
                input = stream == null ? null : stream.inputOfLarge();
                sequence.acknowledged(MessageFrameCodec.acknowledged(header));
            }
            if (input != null) {
                input.arrived(message);
            }
        } catch (RuntimeException | Error e) {
            // The message may be one that came too early, which the caller does not know of.
            context.release(message);
            throw e;
        }
        if (stream == null || input == null) {
            context.release(message);
        } else {
            context.counters().of(stream.id()).received(1, 0);
            input.drain();
        }
    }

    private void batch(byte[] bytes, int size) {
        sequence.acknowledged(MessageFrameCodec.acknowledged(bytes));
        batch.begin(bytes, size);
        try {
            MessageFrameCodec.parse(bytes, size, frames);
        } finally {
            batch.end();
            frames.batchEnded();
        }
    }

    /** Releases the messages that came too early, whose turn will not come any more. */
    void releaseEarly() {
        for (Object early = sequence.pollAny(); early != null; early = sequence.pollAny()) {
            noLongerHeld(early);
            if (early instanceof LargeOffer large) {
                context.release(large);
            }
        }
    }
}
