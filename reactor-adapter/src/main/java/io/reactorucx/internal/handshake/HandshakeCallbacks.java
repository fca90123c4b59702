package io.reactorucx.internal.handshake;

import io.reactorucx.internal.frame.ControlFrame;
import org.jspecify.annotations.Nullable;

/** Where a handshake says what it has to say, and how it ended. Called on the handshake's thread. */
public interface HandshakeCallbacks {

    /** Sends a frame to the peer, in this order. */
    void send(ControlFrame frame);

    /** It is done, and each side has said so as far as it has to: from now on the connection may be used. */
    void connected(PeerInfo peer);

    /** It came to nothing; the peer has been told, unless it knows. */
    void failed(HandshakeFailure failure);

    /** Asked by a server when all else is well: why it does not take this client after all, or null. */
    default @Nullable Rejection admit() {
        return null;
    }

    /** Runs something on the handshake's thread. Called on any. */
    void execute(Runnable task);
}
