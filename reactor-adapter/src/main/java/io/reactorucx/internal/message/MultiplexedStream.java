package io.reactorucx.internal.message;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.message.receive.InboundStream;
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

    /** Returns the id that frames of this side use; 0 is the default stream. */
    public final int id() {
        return id;
    }

    final void id(int assigned) {
        id = assigned;
    }

    /** {@code count} small messages of one length have arrived, which stand one behind the other in the batch. */
    protected abstract void data(InboundBatch batch, int offset, int length, int count);

    /** The peer has given more credit. */
    protected abstract void grant(int messages, int bytes);

    /** The peer has ended what it sends. */
    protected abstract void endedByPeer(@Nullable RuntimeException error);

    /** The peer takes no more messages. */
    protected abstract void cancelledByPeer();

    /** Returns what takes large messages: a direction of this stream, or of what stands in its place from now on. */
    protected abstract InboundStream inputOfLarge();

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
}
