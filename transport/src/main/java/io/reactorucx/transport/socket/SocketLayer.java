package io.reactorucx.transport.socket;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What lies between the frames of a control socket and its channel: nothing, or TLS.
 *
 * <p>Thread: socket loop.
 */
interface SocketLayer {

    /** Reads what has come, without waiting; returns the number of bytes, -1 at the end. */
    int read(ByteBuffer into) throws IOException;

    /** Writes what can be written without waiting. */
    void write(ByteBuffer from) throws IOException;

    /** Goes on to write what waits in the layer; returns whether nothing is left. */
    boolean flush() throws IOException;

    /** Returns the operations of the channel that the layer waits for. */
    int interest();

    /** Ends what is sent, once all that was written is on its way. */
    void shutdownOutput() throws IOException;

    /** Ends what the layer does elsewhere. The channel stays its owner's. */
    void close();
}
