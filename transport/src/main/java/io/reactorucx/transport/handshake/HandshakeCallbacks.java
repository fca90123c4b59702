package io.reactorucx.transport.handshake;

import io.reactorucx.transport.frame.ControlFrame;
import org.jspecify.annotations.Nullable;

/**
 * Sends the frames of a handshake, and is notified of its outcome.
 *
 * <p>Thread: the handshake's, except where a method says otherwise.
 */
public interface HandshakeCallbacks {

    /** Sends a frame to the peer, after those before it. */
    void send(ControlFrame frame);

    /** The handshake has succeeded: the connection may be used. */
    void connected(PeerInfo peer);

    /** The handshake has failed. The peer was notified, unless the peer ended it. */
    void failed(HandshakeFailure failure);

    /** Returns why the server does not admit a client whose HELLO and proof are good, or null when it does. */
    default @Nullable Rejection admit(PeerInfo peer) {
        return null;
    }

    /** Runs a task on the handshake's thread. Thread: any. */
    void execute(Runnable task);
}
