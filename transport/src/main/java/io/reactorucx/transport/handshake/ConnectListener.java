package io.reactorucx.transport.handshake;

import io.reactorucx.transport.frame.ControlFrame;

/**
 * Notified while a connection is being made.
 *
 * <p>Thread: engine.
 */
public interface ConnectListener {

    /** The peer has sent a frame of the handshake over the endpoint. */
    void received(ControlFrame frame);

    /** The endpoint has failed, or the connection was closed, before the handshake was done. */
    void failed(RuntimeException error);
}
