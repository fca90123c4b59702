package io.reactorucx.internal.message;

import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies the frames of a batch to the streams of the connection. A frame for a stream that is closed here has crossed
 * with its end and is ignored.
 *
 * <p>Thread: engine.
 */
final class InboundFrames implements MessageFrameCodec.Visitor {

    private final MessageProtocol protocol;
    private final StreamContext context;
    private final MessageStreams streams;
    private final InboundBatch batch;
    private final long maxMessageBytes;
    /** Streams whose credit is checked once, after the batch, instead of after each of its messages. */
    private final List<MessageStream> received = new ArrayList<>();
    private @Nullable MessageStream lastReceived;
    private int messages;
    private long messageBytes;
    private int requestMessages;
    private long requestBytes;

    InboundFrames(MessageProtocol protocol, StreamContext context, MessageStreams streams, InboundBatch batch) {
        this.protocol = protocol;
        this.context = context;
        this.streams = streams;
        this.batch = batch;
        this.maxMessageBytes = context.maxMessageBytes();
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
    void batchEnded() {
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
