package io.reactorucx.internal.message.batch;

import java.nio.ByteBuffer;

/**
 * A message in memory of the application, which is copied once: into a batch, or into registered memory when it is its
 * turn. Until then it waits in the application's memory alone.
 *
 * <p>Thread: engine, {@link #length} and {@link #release} aside, which are called on any.
 */
public interface OutgoingMessage {

    /** {@return the number of bytes, which stays the same} */
    int length();

    /** Copies all bytes; {@link IllegalStateException} if the application has given the memory back. */
    void copyTo(byte[] target, int offset);

    /** Copies all bytes, as many as remain in the target. */
    void copyTo(ByteBuffer target);

    /** Gives the memory back, once: the message was copied, or will not be sent. */
    void release();
}
