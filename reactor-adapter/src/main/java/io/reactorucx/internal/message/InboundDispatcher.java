package io.reactorucx.internal.message;

import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.batch.SequenceWindow;
import io.reactorucx.internal.message.context.LargeOffer;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.internal.message.receive.InboundStream;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the active messages of the peer in the order in which they were sent: applies the frames of batches to the
 * streams, and hands large messages to theirs. A frame for a stream that is closed here has crossed with its end and is
 * ignored.
 *
 * <p>Thread: engine.
 */
final class InboundDispatcher implements MessageFrameCodec.Visitor {

    private final StreamContext context;
    private final SequenceWindow sequence;
    private final MessageStreams streams;
    private final MessageProtocol protocol;
    private final InboundBatch batch;
    private final long maxMessageBytes;
    /** Streams whose credit is checked once, after the batch, instead of after each of its messages. */
    private final List<MessageStream> received = new ArrayList<>();
    private @Nullable MessageStream lastReceived;
    private int messages;
    private long messageBytes;
    private int requestMessages;
    private long requestBytes;

    InboundDispatcher(StreamContext context, SequenceWindow sequence, MessageStreams streams,
            MessageProtocol protocol) {
        this.context = context;
        this.sequence = sequence;
        this.streams = streams;
        this.protocol = protocol;
        this.batch = new InboundBatch(context.pool());
        this.maxMessageBytes = context.maxMessageBytes();
    }

    /** Takes a batch, the first {@code size} bytes of an array that is lent, and those that came too early. */
    void received(byte[] bytes, int size) {
        int number = MessageFrameCodec.sequence(bytes, size);
        if (sequence.isNext(number)) {
            sequence.arrived(bytes, number, size);
            sequence.acknowledged(MessageFrameCodec.acknowledged(bytes));
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
        for (Object next = sequence.advance(); next != null; next = sequence.advance()) {
            noLongerHeld(next);
            apply(next);
        }
    }

    private void apply(Object message) {
        if (message instanceof LargeOffer large) {
            large(large);
        } else if (!protocol.isEnded()) {
            byte[] bytes = (byte[]) message;
            sequence.acknowledged(MessageFrameCodec.acknowledged(bytes));
            batch(bytes, bytes.length);
        }
    }

    private void noLongerHeld(Object early) {
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
        batch.begin(bytes, size);
        try {
            MessageFrameCodec.parse(bytes, size, this);
        } finally {
            batch.end();
            batchEnded();
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

    @Override
    public void open(int stream, int messages, int bytes, int offset, int length) {
        streams.openedByPeer(stream, messages, bytes, batch, offset, length);
    }

    @Override
    public void data(int id, int offset, int length, int count) {
        MultiplexedStream to = streams.find(id);
        if (length > maxMessageBytes) {
            context.requireTaken(length);
        }
        if (to != null) {
            to.data(batch, offset, length, count);
            if (to instanceof MessageStream stream && stream != lastReceived) {
                lastReceived = stream;
                received.add(stream);
            }
            if (to == streams.defaultStream()) {
                messages += count;
                messageBytes += (long) length * count;
            } else {
                requestMessages += count;
                requestBytes += (long) length * count;
            }
        }
    }

    /** Gives credit for the messages of a batch that has been applied, and counts them. */
    private void batchEnded() {
        for (int i = 0; i < received.size(); i++) {
            received.get(i).input().creditChanged();
        }
        received.clear();
        lastReceived = null;
        if (messages > 0) {
            context.counters().messages().received(messages, messageBytes);
            messages = 0;
            messageBytes = 0;
        }
        if (requestMessages > 0) {
            context.counters().requestMessages().received(requestMessages, requestBytes);
            requestMessages = 0;
            requestBytes = 0;
        }
    }

    @Override
    public void credit(int stream, int messages, int bytes) {
        MultiplexedStream to = streams.find(stream);
        if (to != null) {
            to.grant(messages, bytes);
        }
    }

    @Override
    public void complete(int stream) {
        end(stream, null);
    }

    @Override
    public void error(int stream, int code, String text) {
        if (code == MessageFrameCodec.CONNECTION_CLOSED) {
            // Before the signal: its receiver may look for another connection at once.
            protocol.peerCloses();
            MultiplexedStream to = streams.find(stream);
            if (to != null) {
                to.endedByPeer(protocol.interruptedByPeer());
            }
        } else {
            end(stream, new StreamErrorException(code, text));
        }
    }

    private void end(int stream, @Nullable RuntimeException error) {
        MultiplexedStream to = streams.find(stream);
        if (to == streams.defaultStream()) {
            throw new ProtocolViolationException("an end of the default stream");
        }
        if (to != null) {
            to.endedByPeer(error);
        }
    }

    @Override
    public void cancel(int stream) {
        MultiplexedStream to = streams.find(stream);
        if (to != null) {
            to.cancelledByPeer();
        }
    }

    @Override
    public void reset(int stream) {
        if (streams.find(stream) != streams.defaultStream()) {
            throw new ProtocolViolationException("RESET of another stream than the default one");
        }
        streams.defaultStream().input().reset();
    }

    @Override
    public void last() {
        protocol.last();
    }

    @Override
    public void settings(long maxMessageBytes, int maxStreams) {
        protocol.settings(maxMessageBytes, maxStreams);
    }
}
