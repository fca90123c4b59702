package io.reactorucx.netty.internal;

/**
 * The control socket of a channel, as its stream sees it.
 *
 * <p>Thread: loop.
 */
public interface StreamSocket {

    /** Returns what the message says besides if the peer has not opened the channel in time. */
    default String timeoutHint() {
        return "";
    }

    /** Closes the socket. */
    void close(boolean inOrder);
}
