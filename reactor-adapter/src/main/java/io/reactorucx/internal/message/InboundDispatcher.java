package io.reactorucx.internal.message;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.SequenceWindow;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.internal.message.receive.InboundStream;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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

    /** Takes a message, and those that came too early and follow it. */
    void received(UcpActiveMessage message) {
        if (message.isInline() && message.headerBytes() == 0) {
            byte[] bytes = message.readInPlace();
            int size = (int) message.length();
            int number = MessageFrameCodec.sequence(bytes, size);
            if (sequence.isNext(number)) {
                sequence.arrived(bytes, number, size);
                batch(bytes, size);
                applyEarly();
                return;
            }
        }
        Object arrived = message.isRendezvous() ? message : contents(message);
        int bytes = arrived instanceof byte[] batched ? batched.length : 0;
        if (!sequence.arrived(arrived, number(arrived), bytes)) {
            context.counters().held(bytes);
            return;
        }
        apply(arrived);
        applyEarly();
    }

    private void applyEarly() {
        for (Object next = nextEarly(); next != null; next = nextEarly()) {
            apply(next);
        }
    }

    private void apply(Object message) {
        if (message instanceof UcpActiveMessage large) {
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

    /** Returns the bytes of a batch. UCX holds them if they are more than the worker copies by itself. */
    private byte[] contents(UcpActiveMessage message) {
        if (message.isInline()) {
            return message.takeBytes();
        }
        if (message.length() > MessageFrameCodec.MAX_BATCH_BYTES) {
            throw new ProtocolViolationException("a batch of " + message.length() + " bytes");
        }
        MemorySegment copy = Arena.ofAuto().allocate(message.length());
        context.worker().activeMessages().fetch(message, copy, null, (status, length, tag) -> { });
        return copy.toArray(ValueLayout.JAVA_BYTE);
    }

    private int number(Object arrived) {
        if (arrived instanceof UcpActiveMessage large) {
            context.requireTaken(large.length());
        }
        return MessageFrameCodec.sequence(arrived instanceof UcpActiveMessage large ? header(large) : (byte[]) arrived);
    }

    private static byte[] header(UcpActiveMessage large) {
        return large.header().toArray(ValueLayout.JAVA_BYTE);
    }

    private void large(UcpActiveMessage message) {
        MultiplexedStream stream = null;
        InboundStream input = null;
        try {
            if (!protocol.isEnded()) {
                byte[] header = header(message);
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
            if (early instanceof UcpActiveMessage large) {
                context.release(large);
            }
        }
    }
}
