package io.reactorucx.transport.frame;

import io.reactorucx.core.UcpActiveMessage;

/**
 * The header of an application's active message between framework peers: the receiver's token (8 bytes, big-endian, as
 * the others), the application's id (2), the number of the message among those that the receiver may refuse (2), and
 * the application's own header.
 *
 * <p>With its 12 bytes a message of 8 bytes fits into one cache line of UCX's queue in shared memory, whose element has
 * 28 bytes, and UCX's own header 16: the receiver would wait for a second line.
 */
public final class ApplicationHeader {

    private static final int TOKEN_BYTES = Long.BYTES;
    private static final int NUMBER_AT = TOKEN_BYTES + Short.BYTES;
    /** The size of what comes before the application's own header. */
    public static final int BYTES = NUMBER_AT + Short.BYTES;

    private ApplicationHeader() {
    }

    /** Writes id and number behind the token of a message. */
    public static void put(byte[] header, int id, int number) {
        FrameBytes.putShort(header, TOKEN_BYTES, (short) id);
        FrameBytes.putShort(header, NUMBER_AT, (short) number);
    }

    /** Returns whether the header of a message has all that comes before the application's, and an id that is free. */
    public static boolean isValid(UcpActiveMessage message) {
        return message.headerBytes() >= BYTES && ReservedMessageIds.isFree(id(message));
    }

    public static int id(UcpActiveMessage message) {
        return Short.toUnsignedInt(message.headerShort(TOKEN_BYTES));
    }

    public static int number(UcpActiveMessage message) {
        return Short.toUnsignedInt(message.headerShort(NUMBER_AT));
    }
}
