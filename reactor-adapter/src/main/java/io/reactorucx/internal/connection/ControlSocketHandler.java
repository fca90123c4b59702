package io.reactorucx.internal.connection;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.socket.ControlSocket;
import org.jspecify.annotations.Nullable;

/**
 * What the sides of a connection say over its socket, beside their endpoints: signs of life, and how they part with the
 * endpoints.
 */
public final class ControlSocketHandler {

    private final ConnectionCore connection;
    private final CoalescedCommand peerReleases;
    private final CoalescedCommand peerReleased;
    private @Nullable ControlSocket socket;
    private volatile boolean released;

    ControlSocketHandler(ConnectionCore connection) {
        this.connection = connection;
        this.peerReleases = new CoalescedCommand(connection, this::peerLeaves);
        this.peerReleased = new CoalescedCommand(connection, this::peerHasReleased);
    }

    /** There is one, from here on. On the engine's thread, as all but {@link #received}. */
    void is(ControlSocket open) {
        socket = open;
        connection.heartbeat.alsoBy(() -> send(ControlFrame.of(ControlFrame.Type.PING)));
        connection.onDispose().subscribe(ignored -> { }, error -> { }, open::close);
    }

    boolean exists() {
        return socket != null;
    }

    public void send(ControlFrame frame) {
        if (socket != null) {
            socket.send(frame.toBytes());
        }
    }

    /** Takes a frame; answers whether it is a part of the protocol. Any thread. */
    public boolean received(byte[] bytes) {
        ControlFrame frame = ControlFrame.parse(bytes);
        ControlFrame.Type type = frame == null ? null : frame.type();
        if (type == ControlFrame.Type.PING) {
            connection.heartbeat.heardElsewhere();
        } else if (type == ControlFrame.Type.RELEASE) {
            peerReleases.submit();
        } else if (type == ControlFrame.Type.RELEASED) {
            released = true;
            peerReleased.submit();
        } else {
            return false;
        }
        return true;
    }

    private void peerHasReleased() {
        connection.close.peerReleased();
        peerLeaves();
    }

    /** The socket has ended, and so has the peer, or its connection and its endpoint. */
    public void ended() {
        if (released) {
            // It may have overtaken these words, when the engine's queue was full.
            connection.close.peerReleased();
            connection.closedWhenIdle();
        }
        if (!connection.releaseFails()) {
            peerLeaves();
        }
    }

    /** The peer does not use its endpoint any more, or has none. */
    private void peerLeaves() {
        if (connection.state() == ConnectionCore.State.CONNECTING) {
            connection.failHandshake(new UcxException(UcxStatus.CONNECTION_RESET, "connect", connection.peer(),
                    "the peer has closed the socket"));
            connection.giveUp();
        } else {
            connection.gone(UcxStatus.CONNECTION_RESET.code());
            connection.closedWhenIdle();
        }
    }
}
