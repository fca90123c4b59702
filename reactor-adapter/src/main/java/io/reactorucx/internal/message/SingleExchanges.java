package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.MessageFrameCodec;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Streams with one small message in each direction, which need no {@link MessageStream}: their frames are written into
 * the open batch at once. A stream becomes a general one as soon as something else happens on it.
 *
 * <p>Thread: engine.
 */
public final class SingleExchanges {

    private final MessageMultiplexer mux;
    private final MessageStreams streams;
    private final int maxInlineBytes;

    SingleExchanges(MessageMultiplexer mux, MessageStreams streams) {
        this.mux = mux;
        this.streams = streams;
        this.maxInlineBytes = mux.limits().rendezvousBytes();
    }

    /**
     * Opens a stream with a header and a request, and ends this side's direction. The peer gets a whole window of
     * credit. Returns false if the frames cannot be written now: {@link MessageStreams#open} queues them.
     *
     * @param request a lease or an array
     */
    public boolean open(MultiplexedStream stream, byte[] header, Object request) {
        MemorySegment lease = request instanceof UcxBuffer buffer ? buffer.segment() : null;
        byte[] array = request instanceof byte[] bytes ? bytes : null;
        long length = header.length + (array != null ? array.length : lease != null ? lease.byteSize() : 0);
        if (length > maxInlineBytes || !streams.mayOpen()) {
            return false;
        }
        try (var _ = mux.flushScope()) {
            MessageBatch batch = mux.scheduler().openBatchFor((int) length + MessageFrameCodec.OPEN_FRAME_BYTES
                    + MessageFrameCodec.FRAME_BYTES);
            if (batch == null) {
                return false;
            }
            streams.addOpened(stream);
            batch.open(stream.id(), mux.limits().windowMessages(), mux.limits().windowBytes(), (int) length);
            batch.append(header);
            if (array != null) {
                batch.append(array);
            } else if (lease != null) {
                batch.append(lease);
            }
            batch.signal(MessageFrameCodec.COMPLETE, stream.id());
            return true;
        }
    }

    /**
     * Sends the response and ends this side's direction. Returns false if that cannot be written now.
     *
     * @param response null for none
     */
    public boolean respond(MultiplexedStream stream, @Nullable MemorySegment response, int credit, int creditBytes) {
        long length = response == null ? 0 : response.byteSize();
        if (length > Math.min(creditBytes, maxInlineBytes) || length > mux.peerMaxMessageBytes()
                || response != null && credit == 0) {
            return false;
        }
        try (var _ = mux.flushScope()) {
            MessageBatch batch = mux.scheduler().openBatchFor((int) length + MessageFrameCodec.DATA_FRAME_BYTES
                    + MessageFrameCodec.FRAME_BYTES);
            if (batch == null) {
                return false;
            }
            if (response != null) {
                batch.data(stream.id(), response);
                mux.scheduler().messageQueued();
            }
            batch.signal(MessageFrameCodec.COMPLETE, stream.id());
            mux.counters().credit(response == null ? -credit : 1 - credit);
            return true;
        }
    }

    /** The peer has given credit, or takes what is left of it back. */
    public void credit(int messages) {
        mux.counters().credit(messages);
    }

    /** Puts a general stream in the place of one that this side has opened, with what the peer may still send. */
    public MessageStream generalOfRequest(MultiplexedStream stream, int messages, int bytes) {
        MessageStream general = new MessageStream(mux, stream.id());
        general.input().granted(messages, bytes);
        general.output().endedBefore();
        streams.replace(general);
        return general;
    }

    /** Puts a general stream in the place of one that the peer has opened, with the credit that it has. */
    public MessageStream generalOfResponse(MultiplexedStream stream, int credit, int creditBytes, boolean endedByPeer) {
        MessageStream general = new MessageStream(mux, stream.id());
        general.output().grantedBefore(credit, creditBytes);
        if (endedByPeer) {
            general.input().endedBefore();
        }
        streams.replace(general);
        return general;
    }

    /** Returns whether a stream is open, and no general one has taken its place. */
    public boolean isOpen(MultiplexedStream stream) {
        return streams.isOpen(stream);
    }

    /** Both directions of a stream have ended. */
    public void closed(MultiplexedStream stream) {
        streams.closed(stream);
    }
}
