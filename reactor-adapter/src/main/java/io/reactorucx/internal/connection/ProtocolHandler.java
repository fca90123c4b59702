package io.reactorucx.internal.connection;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.handshake.PeerInfo;
import org.jspecify.annotations.Nullable;

/**
 * One connection's share of a protocol: flow-controlled messages, served memory, active messages, byte streams. The
 * connection knows its handlers only by this interface.
 *
 * <p>Thread: engine.
 */
public interface ProtocolHandler {

    /** The handshake is done; not called with a raw peer. */
    default void connected(PeerInfo peer) {
    }

    /**
     * A message of the peer on the protocol's reserved id has come; the handler fetches or releases data that is not
     * inline.
     */
    default void received(UcpActiveMessage message) {
        throw new IllegalStateException("a message on an id that belongs to no protocol");
    }

    /** The peer sends nothing more. */
    default void peerFinished() {
    }

    /** This side closes gracefully: nothing new is begun, what has been accepted completes. */
    default void closing() {
    }

    /** Nothing more will be received: receivers deliver what waits and complete, or fail with the loss. */
    default void endReceivers(@Nullable UcxException loss) {
    }

    /**
     * Returns whether nothing is in flight that a graceful close waits for. The handler that makes it so calls
     * {@link ConnectionCore#operationEnded()}.
     */
    default boolean isQuiet() {
        return true;
    }

    /** Returns whether the application has everything that the peer has sent, or has given it up. */
    default boolean isConsumed() {
        return isQuiet();
    }

    /** Gives up offers of data that nobody has fetched: the connection closes. */
    default void abandonOffers() {
    }

    /** The endpoint closes: what waits ends now, with the loss, or null when nothing was lost. May be called again. */
    default void ended(@Nullable UcxException loss) {
    }

    /** Returns whether all receivers have been signalled the end. */
    default boolean isDelivered() {
        return true;
    }

    /** The engine has ended: what waits to be delivered is dropped, and receivers fail at once. */
    default void abandon(RuntimeException cause) {
    }
}
