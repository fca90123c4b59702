package io.reactorucx.transport.connection;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.command.CoalescedCommand;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.socket.ControlChannel;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the frames of a connection on its control socket: heartbeats, the agreement on the release of the endpoints,
 * and the peer's rejection while both sides make their endpoints, or of a connection that it does not trust any more.
 * The end of the socket means that the peer's process, or its side of the connection, is gone.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
final class ControlSocketHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ControlSocketHandler.class);

    private final ConnectionCore connection;
    private final CoalescedCommand onRelease;
    private final CoalescedCommand onReleased;
    private final CoalescedCommand onReject;
    private volatile @Nullable ControlChannel socket;
    /** RELEASED has come. The socket's thread sets this at once; its command may still wait in the engine's queue. */
    private volatile boolean releasedByPeer;
    private volatile @Nullable ControlFrame reject;

    ControlSocketHandler(ConnectionCore connection) {
        this.connection = connection;
        this.onRelease = CoalescedCommand.urgent(connection.engine(), this::peerLeft);
        this.onReleased = CoalescedCommand.urgent(connection.engine(), this::peerReleased);
        this.onReject = CoalescedCommand.urgent(connection.engine(), this::rejectedByPeer);
    }

    /** Attaches the socket, which closes with the connection and carries heartbeats as well. */
    void attach(ControlChannel open) {
        socket = open;
        connection.heartbeat().addPing(() -> send(ControlFrame.of(ControlFrame.Type.PING)));
        connection.end().listen(open::close);
    }

    /** Returns whether there is a socket. Thread: any. */
    boolean isAttached() {
        return socket != null;
    }

    /** Sends a frame, if there is a socket. Thread: any. */
    void send(ControlFrame frame) {
        ControlChannel open = socket;
        if (open != null) {
            open.send(frame.toBytes());
        }
    }

    /** Takes a frame, and returns whether it is a frame of this protocol. Thread: any. */
    boolean received(byte[] bytes) {
        ControlFrame frame = ControlFrame.parse(bytes);
        ControlFrame.Type type = frame == null ? null : frame.type();
        if (type == ControlFrame.Type.PING) {
            connection.heartbeat().receivedOverSocket();
        } else if (type == ControlFrame.Type.RELEASE) {
            onRelease.submit();
        } else if (type == ControlFrame.Type.RELEASED) {
            releasedByPeer = true;
            onReleased.submit();
        } else if (type == ControlFrame.Type.REJECT) {
            reject = frame;
            onReject.submit();
        } else {
            return false;
        }
        return true;
    }

    private void peerReleased() {
        connection.carrier().peerReleased();
        peerLeft();
    }

    private void rejectedByPeer() {
        ControlFrame last = reject;
        if (last != null && !connection.phase().isConnecting()) {
            connection.termination().brokenBy("the peer has ended the connection: " + last.reason());
        } else if (last != null) {
            HandshakeFailure failure = new HandshakeFailure(HandshakeFailure.Kind.PEER, Rejection.of(last), null);
            connection.registry().handshakeFailed(connection.peer(), failure);
            connection.failConnecting(failure.toException(connection.peer()));
            connection.abandonConnecting();
        }
    }

    /** The socket has ended: the peer is gone, or has closed its side of the connection. */
    void ended(IOException cause) {
        LOG.debug("[{}] the control socket has ended: {}", connection.name(), cause.getMessage());
        if (releasedByPeer) {
            connection.carrier().peerReleased();
            connection.termination().closeWhenIdle();
        }
        if (connection.phase().isConnecting()) {
            peerLeft();
        } else {
            connection.termination().peerFailed(UcxStatus.CONNECTION_RESET.code());
            connection.termination().closeWhenIdle();
        }
    }

    /** The peer no longer uses its endpoint, or has none. */
    private void peerLeft() {
        if (connection.phase().isConnecting()) {
            connection.failConnecting(new UcxException(UcxStatus.CONNECTION_RESET, "connect", connection.peer(),
                    "the peer has closed the socket"));
            connection.abandonConnecting();
        } else {
            connection.termination().peerLeft(UcxStatus.CONNECTION_RESET.code());
            connection.termination().closeWhenIdle();
        }
    }
}
