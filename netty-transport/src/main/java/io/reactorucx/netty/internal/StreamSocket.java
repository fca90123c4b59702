package io.reactorucx.netty.internal;

/**
 * The control socket of a channel, as its stream sees it.
 *
 * <p>Thread: loop.
 */
public interface StreamSocket {

    /** Closes the socket. */
    void close(boolean inOrder);
}
