package io.reactorucx.transport.frame;

import io.reactorucx.core.UcpActiveMessage;

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

    private ApplicationHeader() {
    }

    /** Writes id and number behind the token of a message. */
    public static void put(byte[] header, int id, int number) {
        FrameBytes.putShort(header, TOKEN_BYTES, (short) id);
        FrameBytes.putInt(header, NUMBER_AT, number);
    }

    /** Returns whether the header of a message has all that comes before the application's, and an id that is free. */
    public static boolean isValid(UcpActiveMessage message) {
        return message.headerBytes() >= BYTES && ReservedMessageIds.isFree(id(message));
    }

    public static int id(UcpActiveMessage message) {
        return Short.toUnsignedInt(message.headerShort(TOKEN_BYTES));
    }

    public static int number(UcpActiveMessage message) {
        return message.headerInt(NUMBER_AT);
    }
}
