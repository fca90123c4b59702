package io.reactorucx.internal.handshake;

import io.reactorucx.internal.frame.ControlFrame;

/** Told how the making of a connection goes on. On the engine's thread. */
public interface ConnectListener {

    /** The peer has sent its first frame, or its answer to ours. */
    void received(ControlFrame frame);

    /** The endpoint failed before the connection was made. */
    void failed(RuntimeException error);
}
