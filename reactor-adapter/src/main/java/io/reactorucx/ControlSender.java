package io.reactorucx;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the control frames of one connection, also when all operations that may be under way are. On the engine's thread. */
record ControlSender(String peer) {

    private static final Logger LOG = LoggerFactory.getLogger(ControlSender.class);

    /** Answers whether the frame is on its way. */
    boolean send(UcpEndpoint endpoint, ControlFrame frame, Completion whenDone) {
        MemorySegment payload = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, frame.toBytes());
        try {
            endpoint.amSendUrgent(ReservedIds.CONTROL, payload, whenDone);
            return true;
        } catch (UcxException e) {
            LOG.warn("[{}] {} not sent: {}", peer, frame.type(), e.getMessage());
            return false;
        }
    }
}
