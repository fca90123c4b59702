package io.reactorucx.netty.internal;

import io.reactorucx.core.UcpActiveMessage;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The header of a message of a channel's byte stream, behind the link's token, big-endian: the receiver's channel (4
 * bytes), the type (1), 3 zeros, the offset of the first byte of data modulo 2^32 (4), the offset up to which the
 * sender of this frame will take bytes, modulo 2^32 (4), and the sender's channel (4). Data that is offered, instead of
 * sent eagerly, has at least 16 KiB.
 */
final class StreamFrame {

    /** Types of frames. */
    enum Type {
        /** The first frame in each direction: the data is the receiver's token. */
        OPEN,
        DATA,
        /** The offset up to which bytes are taken, alone. */
        CREDIT,
        /** No data comes behind the offset. */
        FIN,
        /** FIN, and the sender reads no more. */
        CLOSE,
        /** The channel has ended without order. */
        RESET,
        /** CLOSE, and the sender waits for CLOSED. */
        CLOSE_LINGERING,
        /** The sender has all up to the other's CLOSE_LINGERING. */
        CLOSED
    }

    static final int BYTES = 20;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final Type[] TYPES = Type.values();
    /** Behind the link's token. */
    private static final int AT = Long.BYTES;

    private final byte[] bytes = new byte[BYTES];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private final MemorySegment segment = MemorySegment.ofArray(bytes);

    /** Fills the header, which is valid until the next call. */
    MemorySegment fill(int channel, Type type, int offset, int credit, int from) {
        buffer.putInt(0, channel).putInt(4, type.ordinal() << 24).putInt(8, offset).putInt(12, credit)
                .putInt(16, from);
        return segment;
    }

    /** Returns whether a message has the header of a frame. */
    static boolean isFrame(UcpActiveMessage message) {
        return message.headerBytes() == AT + BYTES && message.headerInt(AT + 4) >>> 24 < TYPES.length
                && (message.headerInt(AT + 4) & 0xFFFFFF) == 0;
    }

    /** Returns whether a header may be that of a frame, which then names a channel. */
    static boolean isFrame(byte[] header) {
        return header.length == AT + BYTES;
    }

    /** Returns whether a frame has no data, and nothing to fetch or release: only DATA has, and OPEN its token. */
    static boolean isWithoutData(UcpActiveMessage frame) {
        return frame.length() == 0 && frame.isInline();
    }

    static int channel(byte[] header) {
        return (int) INT.get(header, AT);
    }

    static int channel(UcpActiveMessage frame) {
        return frame.headerInt(AT);
    }

    static Type type(UcpActiveMessage frame) {
        return TYPES[frame.headerInt(AT + 4) >>> 24];
    }

    static int offset(UcpActiveMessage frame) {
        return frame.headerInt(AT + 8);
    }

    static int credit(UcpActiveMessage frame) {
        return frame.headerInt(AT + 12);
    }

    static int from(UcpActiveMessage frame) {
        return frame.headerInt(AT + 16);
    }
}
