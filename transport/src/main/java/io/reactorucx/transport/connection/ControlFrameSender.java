package io.reactorucx.transport.connection;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxException;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the control frames of one connection over its endpoint, behind the peer's token, also at the engine's limit of
 * operations in flight.
 *
 * <p>Thread: engine.
 */
final class ControlFrameSender {

    private static final Logger LOG = LoggerFactory.getLogger(ControlFrameSender.class);
    private static final byte[] PING = ControlFrame.of(ControlFrame.Type.PING).toBytes();

    private final ConnectionCore connection;
    private @Nullable MemorySegment ping;

    ControlFrameSender(ConnectionCore connection) {
        this.connection = connection;
    }

    private MemorySegment bytes(byte[] frame) {
        byte[] message = ByteBuffer.allocate(HeaderBuffer.TOKEN_BYTES + frame.length).putLong(connection.peerToken())
                .put(frame).array();
        return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, message);
    }

    /** Sends a frame, and returns whether UCX has accepted it. */
    boolean send(UcpEndpoint endpoint, ControlFrame frame, Completion whenDone) {
        try {
            endpoint.amSendUrgent(ReservedMessageIds.CONTROL, bytes(frame.toBytes()), whenDone);
            return true;
        } catch (UcxException e) {
            LOG.warn("[{}] {} not sent: {}", connection.name(), frame.type(), e.getMessage());
            return false;
        }
    }

    /** Sends PING if UCX accepts it, and returns whether it is in flight. */
    boolean ping(UcpEndpoint endpoint, Completion whenDone) {
        MemorySegment message = ping;
        if (message == null) {
            message = bytes(PING);
            ping = message;
        }
        try {
            return !endpoint.amSendUrgent(ReservedMessageIds.CONTROL, message, whenDone);
        } catch (UcxException e) {
            LOG.debug("[{}] PING not sent: {}", connection.name(), e.getMessage());
            return false;
        }
    }
}
