package io.reactorucx.internal.connection;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the control frames of one connection over its endpoint, also at the engine's limit of operations in flight.
 *
 * <p>Thread: engine.
 */
record ControlFrameSender(String peer) {

    private static final Logger LOG = LoggerFactory.getLogger(ControlFrameSender.class);
    private static final MemorySegment PING = bytes(ControlFrame.of(ControlFrame.Type.PING));

    private static MemorySegment bytes(ControlFrame frame) {
        return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, frame.toBytes());
    }

    /** Sends a frame, and returns whether UCX has accepted it. */
    boolean send(UcpEndpoint endpoint, ControlFrame frame, Completion whenDone) {
        try {
            endpoint.amSendUrgent(ReservedMessageIds.CONTROL, bytes(frame), whenDone);
            return true;
        } catch (UcxException e) {
            LOG.warn("[{}] {} not sent: {}", peer, frame.type(), e.getMessage());
            return false;
        }
    }

    /** Sends PING if UCX accepts it, and returns whether it is in flight. */
    boolean ping(UcpEndpoint endpoint, Completion whenDone) {
        try {
            return !endpoint.amSendUrgent(ReservedMessageIds.CONTROL, PING, whenDone);
        } catch (UcxException e) {
            LOG.debug("[{}] PING not sent: {}", peer, e.getMessage());
            return false;
        }
    }
}
