package io.reactorucx.internal.frame;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header of an application's active message between framework peers: the receiver's token (8 bytes, big-endian, as
 * the others), the application's id (2), the number of the message among those of the connection in this direction (4),
 * and the application's own header.
 */
public final class ApplicationHeader {

    private static final int TOKEN_BYTES = Long.BYTES;
    private static final int NUMBER_AT = TOKEN_BYTES + Short.BYTES;
    /** The size of what comes before the application's own header. */
    public static final int BYTES = NUMBER_AT + Integer.BYTES;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private ApplicationHeader() {
    }

    /** Writes id and number behind the token of a message. */
    public static void put(byte[] header, int id, int number) {
        MessageFrameCodec.putShort(header, TOKEN_BYTES, (short) id);
        MessageFrameCodec.putInt(header, NUMBER_AT, number);
    }

    /** Returns whether the header of a message has all that comes before the application's, and an id that is free. */
    public static boolean isValid(MemorySegment header) {
        return header.byteSize() >= BYTES && ReservedMessageIds.isFree(id(header));
    }

    public static int id(MemorySegment header) {
        return Short.toUnsignedInt(header.get(SHORT, TOKEN_BYTES));
    }

    public static int number(MemorySegment header) {
        return header.get(INT, NUMBER_AT);
    }
}
