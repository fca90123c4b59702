package io.reactorucx.internal.message;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.MessageDecoder.InboundBatch;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the active messages of the peer in the order in which they were sent: batches, whose frames go to
 * {@link InboundFrames}, and large messages, which go to their stream.
 *
 * <p>Thread: engine.
 */
final class InboundDispatcher {

    private final MessageMultiplexer mux;
    private final SequenceWindow sequence;
    private final InboundBatch batch;
    private final InboundFrames frames;
    private final List<MessageStream> creditMayBeDue = new ArrayList<>();
    private @Nullable MessageStream lastMayBeDue;

    InboundDispatcher(MessageMultiplexer mux, SequenceWindow sequence) {
        this.mux = mux;
        this.sequence = sequence;
        this.batch = new InboundBatch(mux.pool());
        this.frames = new InboundFrames(mux, batch);
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
            mux.counters().held(bytes);
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
        } else {
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
            mux.counters().held(-batched.length);
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
        worker().activeMessages().fetch(message, copy, null, (status, length, tag) -> { });
        return copy.toArray(ValueLayout.JAVA_BYTE);
    }

    private int number(Object arrived) {
        if (arrived instanceof UcpActiveMessage large) {
            mux.requireTaken(large.length());
        }
        return MessageFrameCodec.sequence(arrived instanceof UcpActiveMessage large ? header(large) : (byte[]) arrived);
    }

    private static byte[] header(UcpActiveMessage large) {
        return large.header().toArray(ValueLayout.JAVA_BYTE);
    }

    private void large(UcpActiveMessage message) {
        MessageStream stream = null;
        try {
            if (!mux.isEnded()) {
                byte[] header = header(message);
                MultiplexedStream named = mux.streams().find(MessageFrameCodec.stream(header));
                stream = named == null ? null : named.general();
                sequence.acknowledged(MessageFrameCodec.acknowledged(header));
            }
            if (stream != null) {
                stream.input().arrived(message);
            }
        } catch (RuntimeException | Error e) {
            // The message may be one that came too early, which the caller does not know of.
            release(message);
            throw e;
        }
        if (stream == null) {
            release(message);
        } else {
            mux.counters().of(stream).received(1, 0);
            stream.input().drain();
        }
    }

    private void batch(byte[] bytes, int size) {
        if (mux.isEnded()) {
            return;
        }
        sequence.acknowledged(MessageFrameCodec.acknowledged(bytes));
        batch.begin(bytes, size);
        try {
            MessageFrameCodec.parse(bytes, size, frames);
        } finally {
            batch.end();
            frames.batchEnded();
            for (int i = 0; i < creditMayBeDue.size(); i++) {
                creditMayBeDue.get(i).input().creditChanged();
            }
            creditMayBeDue.clear();
            lastMayBeDue = null;
        }
    }

    /** Checks a stream's credit once, after the batch, instead of after each of its messages. */
    void creditMayBeDue(MessageStream stream) {
        if (stream != lastMayBeDue) {
            lastMayBeDue = stream;
            creditMayBeDue.add(stream);
        }
    }

    /** Releases the messages that came too early, whose turn will not come any more. */
    void releaseEarly() {
        for (Object early = sequence.pollAny(); early != null; early = sequence.pollAny()) {
            noLongerHeld(early);
            if (early instanceof UcpActiveMessage large) {
                release(large);
            }
        }
    }

    /** Releases data that the peer offers or UCX holds. */
    void release(UcpActiveMessage message) {
        if (!message.isInline() && !worker().isClosed() && worker().activeMessages().holds(message)) {
            if (message.isRendezvous()) {
                mux.protocolCounters().droppedOffer();
            }
            worker().activeMessages().release(message);
        }
    }

    private UcpWorker worker() {
        return mux.worker();
    }
}
