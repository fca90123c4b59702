package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;

/**
 * The listener that a byte stream tells of its data and its end, for its channel.
 *
 * <p>Thread: loop.
 */
public interface StreamListener {

    /** Makes the buffers of what arrives. */
    ByteBufAllocator allocator();

    /** There are bytes to read, or the peer sends no more. Called from the loop's round, never from within a call. */
    void readable();

    /** Bytes of the send queue have gone. */
    void writable();

    /** The stream has ended without order; nothing else is called after that. */
    void broken(IOException cause);
}
