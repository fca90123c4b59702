package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.MessageDecoder.InboundBatch;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A stream as its connection sees it: where the frames with its id go, and what it learns of the connection's end. Ids
 * are not used again before they wrap around, so that a late frame finds no stream, and never a later one.
 *
 * <p>Thread: engine.
 */
public abstract class MultiplexedStream {

    private int id;

    /** Creates a stream with the id that frames of this side use. */
    MultiplexedStream(int id) {
        this.id = id;
    }

    /** Creates a stream that has no id before it is opened. */
    protected MultiplexedStream() {
        // Not open.
    }

    final int id() {
        return id;
    }

    final void id(int assigned) {
        id = assigned;
    }

    /** Returns whether this side opened the stream. */
    final boolean isOpenedHere() {
        return (id & 1) == 1;
    }

    /** {@code count} small messages of one length have arrived, which stand one behind the other in the batch. */
    protected abstract void data(InboundBatch batch, int offset, int length, int count);

    /** The peer has given more credit. */
    protected abstract void grant(int messages, int bytes);

    /** The peer has ended what it sends. */
    protected abstract void endedByPeer(@Nullable RuntimeException error);

    /** The peer takes no more messages. */
    protected abstract void cancelledByPeer();

    /** Returns the stream that takes large messages: this one, or the one that stands in its place from now on. */
    protected abstract MessageStream general();

    /** This side closes the connection. */
    protected abstract void closing(UcxClosedException closed);

    /** The peer has closed the connection, and sends nothing more. */
    protected abstract void peerFinished(UcxException unfinished, UcxException unsent);

    /**
     * The connection has ended.
     *
     * @param loss why, null if it was closed
     * @param closed the error in that case
     * @param delivered whether everything that was sent has been received, in both directions
     */
    protected abstract void connectionEnded(@Nullable UcxException loss, UcxClosedException closed, boolean delivered);

    /**
     * A stream with one small message in each direction, which needs no {@link MessageStream}: its frames are written
     * into the open batch at once. It becomes a general one as soon as something else happens on it.
     */
    public abstract static class Single extends MultiplexedStream {

        protected Single() {
            // Not open.
        }

        protected abstract MessageMultiplexer mux();

        /**
         * Opens the stream with a header and a request, and ends this side's direction. The peer gets a whole window of
         * credit. Returns false if the frames cannot be written now: {@link MessageStreams#open} queues them.
         *
         * @param request a lease or an array
         */
        protected final boolean open(byte[] header, Object request) {
            MessageMultiplexer mux = mux();
            MemorySegment lease = request instanceof UcxBuffer buffer ? buffer.segment() : null;
            byte[] array = request instanceof byte[] bytes ? bytes : null;
            long length = header.length + (array != null ? array.length : lease != null ? lease.byteSize() : 0);
            if (length > mux.limits().rendezvousBytes() || !mux.streams().mayOpen()) {
                return false;
            }
            try (var _ = mux.flushScope()) {
                MessageBatch batch = mux.scheduler().openBatchFor((int) length + MessageFrameCodec.OPEN_FRAME_BYTES
                        + MessageFrameCodec.FRAME_BYTES);
                if (batch == null) {
                    return false;
                }
                mux.streams().addOpened(this);
                batch.open(id(), mux.limits().windowMessages(), mux.limits().windowBytes(), (int) length);
                batch.append(header);
                if (array != null) {
                    batch.append(array);
                } else if (lease != null) {
                    batch.append(lease);
                }
                batch.signal(MessageFrameCodec.COMPLETE, id());
                return true;
            }
        }

        /**
         * Sends the response and ends this side's direction. Returns false if that cannot be written now.
         *
         * @param response null for none
         */
        protected final boolean respond(@Nullable MemorySegment response, int credit, int creditBytes) {
            MessageMultiplexer mux = mux();
            long length = response == null ? 0 : response.byteSize();
            if (length > Math.min(creditBytes, mux.limits().rendezvousBytes()) || length > mux.peerMaxMessageBytes()
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
                    batch.data(id(), response);
                    mux.scheduler().requestMessageQueued(length);
                }
                batch.signal(MessageFrameCodec.COMPLETE, id());
                mux.counters().credit(response == null ? -credit : 1 - credit);
                return true;
            }
        }

        /** The peer has given credit, or what is left of it is void. */
        protected final void countCredit(int messages) {
            mux().counters().credit(messages);
        }

        /** Puts a general stream in the place of this one, which this side has opened and the peer may send on. */
        protected final MessageStream becomeRequest(int messages, int bytes) {
            MessageStream general = new MessageStream(mux(), id());
            general.input().granted(messages, bytes);
            general.output().endedBefore();
            mux().streams().replace(general);
            return general;
        }

        /** Puts a general stream in the place of this one, which the peer has opened, with the credit that it has. */
        protected final MessageStream becomeResponse(int credit, int creditBytes, boolean endedByPeer) {
            MessageStream general = new MessageStream(mux(), id());
            general.output().grantedBefore(credit, creditBytes);
            if (endedByPeer) {
                general.input().endedBefore();
            }
            mux().streams().replace(general);
            return general;
        }

        /** Returns whether the stream is open, and no general one has taken its place. */
        protected final boolean isOpen() {
            return mux().streams().isOpen(this);
        }

        /** Both directions have ended. */
        protected final void closed() {
            mux().streams().closed(this);
        }
    }
}
