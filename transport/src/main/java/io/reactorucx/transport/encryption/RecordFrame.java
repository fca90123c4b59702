package io.reactorucx.transport.encryption;

import java.nio.ByteBuffer;

/**
 * A frame with one record. Layout, big-endian: the receiver's token (8 bytes), the kind (1), if its highest bit is set
 * the number of records before this one that were sealed and not sent (4), the record. Kind and number are proved by
 * the record. In {@link Kind#OFFER} the size of the record (2) stands before it, and tags may stand behind it.
 *
 * <p>What is in a record: the id of the message (2 bytes), the size of its header (2), in an offer the key of the data,
 * the number of its first part and its size (4, 8, 8), the header, and but in an offer the data.
 */
final class RecordFrame {

    /** What has numbers and keys of its own, since it may overtake the others. */
    enum Kind {
        /** A message within the record. */
        MESSAGE,
        /** A control frame, which does not wait for messages. */
        CONTROL,
        /** The header of a large message, whose data the frame carries or offers. */
        OFFER
    }

    static final int KIND_AT = Long.BYTES;
    static final int HEAD_BYTES = 2 * Short.BYTES;
    static final int OFFER_HEAD_BYTES = HEAD_BYTES + Integer.BYTES + 2 * Long.BYTES;
    /** The most that stands before a record. */
    static final int MOST_BEFORE_RECORD = KIND_AT + 1 + Integer.BYTES + Short.BYTES;

    private static final int SKIPPED = 0x80;
    private static final Kind[] KINDS = Kind.values();

    private RecordFrame() {
    }

    /** Returns the kind at a place of an array, null for none. */
    static Kind kind(int first) {
        int number = first & ~SKIPPED & 0xFF;
        return KINDS[number];
    }

    static boolean isKind(int first) {
        return (first & ~SKIPPED & 0xFF) < KINDS.length;
    }

    static boolean hasSkipped(int first) {
        return (first & SKIPPED) != 0;
    }

    /** Returns what a record proves beside its bytes. */
    static byte[] context(Kind kind, int skipped) {
        return skipped == 0 ? new byte[] {(byte) kind.ordinal()}
                : ByteBuffer.allocate(1 + Integer.BYTES).put((byte) (kind.ordinal() | SKIPPED)).putInt(skipped)
                .array();
    }
}
