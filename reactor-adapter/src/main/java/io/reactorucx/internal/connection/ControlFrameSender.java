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
 * Sends the control frames of one connection, also when all operations that may be under way are. On the engine's
 * thread.
 */
record ControlFrameSender(String peer) {

    private static final Logger LOG = LoggerFactory.getLogger(ControlFrameSender.class);
    private static final MemorySegment PING = bytes(ControlFrame.of(ControlFrame.Type.PING));

    private static MemorySegment bytes(ControlFrame frame) {
        return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, frame.toBytes());
    }

    /** Answers whether the frame is on its way. */
    boolean send(UcpEndpoint endpoint, ControlFrame frame, Completion whenDone) {
        try {
            endpoint.amSendUrgent(ReservedMessageIds.CONTROL, bytes(frame), whenDone);
            return true;
        } catch (UcxException e) {
            LOG.warn("[{}] {} not sent: {}", peer, frame.type(), e.getMessage());
            return false;
        }
    }

    /** Gives a sign of life, if that can be done. Answers whether it is under way still. */
    boolean ping(UcpEndpoint endpoint, Completion whenDone) {
        try {
            return !endpoint.amSendUrgent(ReservedMessageIds.CONTROL, PING, whenDone);
        } catch (UcxException e) {
            LOG.debug("[{}] no sign of life given: {}", peer, e.getMessage());
            return false;
        }
    }
}
