package io.reactorucx;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the control frames of one connection. On the engine's thread. */
record ControlSender(ConnectionConfig config, String peer, long nonce) {

    private static final Logger LOG = LoggerFactory.getLogger(ControlSender.class);

    /** Answers whether the frame is on its way. */
    boolean send(UcpEndpoint endpoint, ControlFrame.Type type, byte[] rest, Completion whenDone) {
        ControlFrame frame = new ControlFrame(ControlFrame.PROTOCOL_VERSION, type, config.errorMode(), Ucx.version(),
                endpoint.worker().maxHeaderBytes(), nonce, rest);
        MemorySegment payload = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, frame.toBytes());
        try {
            endpoint.amSend(ReservedIds.CONTROL, MemorySegment.NULL, payload, null, AmProtocol.EAGER, true, whenDone);
            return true;
        } catch (UcxException e) {
            LOG.warn("[{}] {} not sent: {}", peer, type, e.getMessage());
            return false;
        }
    }
}
