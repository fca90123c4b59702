package io.reactorucx.transport.connection;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.transport.handshake.PeerInfo;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a protocol on one connection, such as flow-controlled messages, served memory or channels of Netty.
 * The connection knows its handlers by this interface only.
 *
 * <p>Thread: engine.
 */
public interface ProtocolHandler {

    /** The handshake is done; not called with a raw peer. */
    default void connected(PeerInfo peer) {
    }

    /** A server hands the connection to its application's handler. */
    default void accepted() {
    }

    /** The server's handler has completed or failed, and the connection will close. */
    default void handlerEnded(boolean failed) {
    }

    /** The server stops and does not wait for its handler any more: the connection will close. */
    default void handlerInterrupted() {
    }

    /** Takes a message on the protocol's reserved id. The handler fetches or releases data that is not inline. */
    default void received(UcpActiveMessage message) {
        throw new IllegalStateException("the protocol has no reserved id");
    }

    /**
     * Returns how many messages were sent that UCX alone delivers: FIN tells the number, so that the loss of one is no
     * graceful end.
     */
    default int messagesSent() {
        return 0;
    }

    /** Returns how many messages of that kind have come. */
    default int messagesReceived() {
        return 0;
    }

    /** The peer has refused an active message of the application, whose data is still on this side. */
    default void refused(int messageNumber) {
    }

    /** The peer sends nothing more. */
    default void peerFinished() {
    }

    /** This side closes gracefully: no new operations, accepted ones complete. */
    default void closing() {
    }

    /**
     * Nothing more will be received by the application: receivers deliver what is queued, then complete or fail with
     * the loss. A graceful close begins with this, when replies of the peer may still be on their way.
     */
    default void endReceivers(@Nullable UcxException loss) {
    }

    /**
     * Returns whether nothing is in flight that a graceful close waits for. When that becomes true, the handler calls
     * {@link ConnectionCore#operationEnded()}.
     */
    default boolean isQuiet() {
        return true;
    }

    /** Returns whether the application has received, or given up, all that the peer has sent. */
    default boolean isConsumed() {
        return isQuiet();
    }

    /** Releases offers of data that the application has not fetched: the connection closes. */
    default void abandonOffers() {
    }

    /** The endpoint closes: what waits fails now, with the loss if there was one. May be called again. */
    default void ended(@Nullable UcxException loss) {
    }

    /** Returns whether all receivers have been terminated. */
    default boolean isDelivered() {
        return true;
    }

    /** Visits what this side waits for, or works on for the peer. */
    default void underWay(OperationVisitor visitor) {
    }

    /** The engine has closed: queued messages are dropped, and receivers fail now. */
    default void abandon(RuntimeException cause) {
    }
}
