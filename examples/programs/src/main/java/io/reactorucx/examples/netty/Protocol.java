package io.reactorucx.examples.netty;

import java.time.Duration;
import reactor.netty.resources.LoopResources;

/**
 * How two programs talk to each other: the same code for any loops.
 *
 * <p><b>Threading:</b> any thread but that of a loop. <b>Ownership:</b> the caller closes what is returned, before the
 * loops. <b>Errors:</b> those of the library.
 */
public interface Protocol {

    /** Where servers listen. */
    String HOST = "127.0.0.1";
    /** How long a connection may take to open or close, or an answer to come: an emulated machine is slow at first. */
    Duration LIMIT = Duration.ofSeconds(60);

    /** {@return the least that a call moves in each direction, in bytes} */
    int bytes();

    /**
     * Starts a server.
     *
     * @param loops the server's loops
     * @return the server
     */
    Service serve(LoopResources loops);

    /**
     * Opens a connection.
     *
     * @param loops the client's loops
     * @param port of the server
     * @return the connection
     */
    Caller connect(LoopResources loops, int port);
}
