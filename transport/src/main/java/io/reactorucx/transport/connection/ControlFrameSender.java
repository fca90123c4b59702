package io.reactorucx.transport.connection;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the control frames of one connection over its carrier, behind the peer's token, also at the engine's limit of
 * operations in flight.
 *
 * <p>Thread: engine.
 */
final class ControlFrameSender {

    private static final Logger LOG = LoggerFactory.getLogger(ControlFrameSender.class);
    private static final byte[] PING = ControlFrame.of(ControlFrame.Type.PING).toBytes();

    private final String connection;
    private final Carrier carrier;
    private final LongSupplier peerToken;
    private final Runnable whenDone;
    private @Nullable MemorySegment ping;
    private boolean pinging;

    /** Creates a sender for a connection of that name, which calls an action when the memory of a frame is free. */
    ControlFrameSender(String connection, Carrier carrier, LongSupplier peerToken,
            Runnable whenDone) {
        this.connection = connection;
        this.carrier = carrier;
        this.peerToken = peerToken;
        this.whenDone = whenDone;
    }

    private MemorySegment bytes(byte[] frame) {
        byte[] message = ByteBuffer.allocate(HeaderBuffer.TOKEN_BYTES + frame.length).putLong(peerToken.getAsLong())
                .put(frame).array();
        return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, message);
    }

    /** Sends a frame, and returns whether the carrier has accepted it. */
    boolean send(ControlFrame frame) {
        try {
            carrier.sendUrgent(ReservedMessageIds.CONTROL, bytes(frame.toBytes()),
                    (status, length, tag) -> whenDone.run());
            return true;
        } catch (UcxException e) {
            LOG.warn("[{}] {} not sent: {}", connection, frame.type(), e.getMessage());
            return false;
        }
    }

    /** Sends PING unless one is in flight: more of them would only fill memory while the peer receives nothing. */
    void ping() {
        if (pinging || !carrier.isAttached() || carrier.hasFailed()) {
            return;
        }
        MemorySegment message = ping;
        if (message == null) {
            message = bytes(PING);
            ping = message;
        }
        try {
            pinging = !carrier.sendUrgent(ReservedMessageIds.CONTROL, message, (status, length, tag) -> {
                pinging = false;
                whenDone.run();
            });
        } catch (UcxException e) {
            LOG.debug("[{}] PING not sent: {}", connection, e.getMessage());
        }
    }
}
