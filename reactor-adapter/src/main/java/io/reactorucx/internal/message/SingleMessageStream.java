package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.internal.message.context.StreamContext;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A stream with one small message in each direction, which needs no {@link MessageStream}: its frames are written
 * into the open batch at once. It becomes a general one as soon as something else happens on it.
 */
public abstract class SingleMessageStream extends MultiplexedStream {

    protected SingleMessageStream() {
        // Not open.
    }

    protected abstract MessageProtocol protocol();

    /**
     * Opens the stream with a header and a request, and ends this side's direction. The peer gets a whole window of
     * credit. Returns false if the frames cannot be written now: {@link MessageStreams#open} queues them. Within a
     * flush scope, when {@link MessageStreams.Opening#open} says that there is room for a stream.
     *
     * @param request a lease or an array
     */
    protected final boolean open(byte[] header, Object request) {
        StreamContext context = protocol().context();
        Object payload = request instanceof UcxBuffer lease ? lease.segment() : request;
        long length = header.length + (payload instanceof MemorySegment segment ? segment.byteSize()
                : ((byte[]) payload).length);
        if (length > context.limits().rendezvousBytes()) {
            return false;
        }
        MessageBatch batch = protocol().scheduler().openBatchFor((int) length + MessageFrameCodec.OPEN_FRAME_BYTES
                + MessageFrameCodec.FRAME_BYTES);
        if (batch == null) {
            return false;
        }
        protocol().streams().addOpened(this);
        batch.open(id(), context.limits().windowMessages(), context.limits().windowBytes(), header, payload);
        batch.signal(MessageFrameCodec.COMPLETE, id());
        return true;
    }

    /**
     * Sends the response and ends this side's direction. Returns false if that cannot be written now. Within a flush
     * scope.
     *
     * @param response null for none
     */
    protected final boolean respond(@Nullable MemorySegment response, int credit, int creditBytes) {
        StreamContext context = protocol().context();
        long length = response == null ? 0 : response.byteSize();
        if (length > Math.min(creditBytes, context.limits().rendezvousBytes())
                || length > context.peer().maxMessageBytes() || response != null && credit == 0) {
            return false;
        }
        MessageBatch batch = protocol().scheduler().openBatchFor((int) length + MessageFrameCodec.DATA_FRAME_BYTES
                + MessageFrameCodec.FRAME_BYTES);
        if (batch == null) {
            return false;
        }
        if (response != null) {
            batch.data(id(), response);
        }
        batch.signal(MessageFrameCodec.COMPLETE, id());
        if (response != null) {
            context.counters().requestMessages().sent(1, length);
        }
        context.counters().credit(-credit);
        return true;
    }

    /** The peer has given credit, or what is left of it is void. */
    protected final void countCredit(int messages) {
        protocol().context().counters().credit(messages);
    }

    /** Puts a general stream in the place of this one, which this side has opened and the peer may send on. */
    protected final MessageStream becomeRequest(int messages, int bytes) {
        MessageStream general = protocol().streams().general(id());
        general.input().granted(messages, bytes);
        general.output().endedBefore();
        protocol().streams().replace(general);
        return general;
    }

    /** Puts a general stream in the place of this one, which the peer has opened, with the credit that it has. */
    protected final MessageStream becomeResponse(int credit, int creditBytes, boolean endedByPeer) {
        MessageStream general = protocol().streams().general(id());
        general.output().grantedBefore(credit, creditBytes);
        if (endedByPeer) {
            general.input().endedBefore();
        }
        protocol().streams().replace(general);
        return general;
    }

    /** Returns whether the stream is open, and no general one has taken its place. */
    protected final boolean isOpen() {
        return protocol().streams().isOpen(this);
    }

    /** Both directions have ended. */
    protected final void closed() {
        protocol().streams().closed(this);
    }
}
