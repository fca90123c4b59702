package io.reactorucx.internal.connection;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.socket.ControlSocket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The frames of an established connection on its control socket: signs of life, and the agreement on the release of the
 * endpoints. The end of the socket tells that the peer's process, or its side of the connection, is gone.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
final class ControlSocketHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ControlSocketHandler.class);

    private final ConnectionCore connection;
    private final CoalescedCommand peerReleases;
    private final CoalescedCommand peerReleased;
    private volatile @Nullable ControlSocket socket;
    /** RELEASED has come. Written by the socket's thread, whose command may wait for room in the engine's queue. */
    private volatile boolean releasedByPeer;

    ControlSocketHandler(ConnectionCore connection) {
        this.connection = connection;
        this.peerReleases = new CoalescedCommand(connection.engine(), this::peerLeaves);
        this.peerReleased = new CoalescedCommand(connection.engine(), this::peerHasReleased);
    }

    /** Attaches the socket, which closes with the connection and carries its heartbeats too. */
    void attach(ControlSocket open) {
        socket = open;
        connection.heartbeat().alsoBy(() -> send(ControlFrame.of(ControlFrame.Type.PING)));
        connection.onDispose().subscribe(ignored -> { }, error -> { }, open::close);
    }

    /** Returns whether there is a socket. Thread: any. */
    boolean isAttached() {
        return socket != null;
    }

    /** Sends a frame, if there is a socket. Thread: any. */
    void send(ControlFrame frame) {
        ControlSocket open = socket;
        if (open != null) {
            open.send(frame.toBytes());
        }
    }

    /** Takes a frame, and returns whether it belongs to the protocol. Thread: any. */
    boolean received(byte[] bytes) {
        ControlFrame frame = ControlFrame.parse(bytes);
        ControlFrame.Type type = frame == null ? null : frame.type();
        if (type == ControlFrame.Type.PING) {
            connection.heartbeat().heardElsewhere();
        } else if (type == ControlFrame.Type.RELEASE) {
            peerReleases.submit();
        } else if (type == ControlFrame.Type.RELEASED) {
            releasedByPeer = true;
            peerReleased.submit();
        } else {
            return false;
        }
        return true;
    }

    private void peerHasReleased() {
        connection.termination().peerReleased();
        peerLeaves();
    }

    /** The socket has ended, and so has the peer, or its connection and its endpoint. */
    void ended(IOException cause) {
        LOG.debug("[{}] the control socket has ended: {}", connection.peer(), cause.getMessage());
        if (releasedByPeer) {
            connection.termination().peerReleased();
            connection.termination().closeWhenIdle();
        }
        if (connection.phase().isConnecting()) {
            peerLeaves();
        } else {
            connection.termination().peerFailed(UcxStatus.CONNECTION_RESET.code());
            connection.termination().closeWhenIdle();
        }
    }

    /** The peer uses its endpoint no more, or has none. */
    private void peerLeaves() {
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
