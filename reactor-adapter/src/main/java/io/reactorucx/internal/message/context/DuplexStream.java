package io.reactorucx.internal.message.context;

import io.reactorucx.internal.message.batch.MessageBatch;

/**
 * A stream as its two directions see it.
 *
 * <p>Thread: engine.
 */
public interface DuplexStream {

    /** Returns the id that frames of this side use; 0 is the default stream. */
    int id();

    /** A frame other than a message is due: the stream gets a turn. */
    void controlDue();

    /** Writes the frames that are due, messages aside. Returns false if the batch has no room for them. */
    boolean writeControl(MessageBatch batch);

    /** Forgets the stream if both directions have ended and no frame about it is due. */
    void closeIfEnded();
}
