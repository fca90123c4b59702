package io.reactorucx.transport.carrier;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Does something with the encrypted frames of one side, as somebody on the way might.
 *
 * <p>Thread: engine.
 */
public final class TamperingLayer extends CarrierLayer {

    /** Decides on what is sent in place of a frame, or of the data of a large message. */
    private final Function<byte[], List<byte[]>> ofMessages;
    private final Function<byte[], byte[]> ofData;

    private TamperingLayer(Carrier below, Function<byte[], List<byte[]>> ofMessages, Function<byte[], byte[]> ofData) {
        super(below);
        this.ofMessages = ofMessages;
        this.ofData = ofData;
    }

    /** Puts it below the layers of new connections. */
    public static void below(CarrierLayers layers, Function<byte[], List<byte[]>> ofMessages,
            Function<byte[], byte[]> ofData) {
        layers.layers.addFirst((below, config, identity) -> new TamperingLayer(below, ofMessages, ofData));
    }

    @Override
    public boolean sendNow(int reservedId, byte[] bytes, int size) {
        return false;
    }

    @Override
    public boolean send(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            AmProtocol protocol, Completion whenDone) {
        if (reservedId != ReservedMessageIds.RECORDS) {
            return rest().send(reservedId, header, payload, registration, protocol, whenDone);
        }
        byte[] bytes = payload.toArray(ValueLayout.JAVA_BYTE);
        if (header.byteSize() > 0) {
            return rest().send(reservedId, header, copy(ofData.apply(bytes)), null, protocol, whenDone);
        }
        for (byte[] frame : ofMessages.apply(bytes)) {
            rest().send(reservedId, MemorySegment.NULL, copy(frame), null, protocol, (status, length, tag) -> { });
        }
        return true;
    }

    private static MemorySegment copy(byte[] bytes) {
        return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes);
    }
}
