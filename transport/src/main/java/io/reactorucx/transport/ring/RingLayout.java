package io.reactorucx.transport.ring;

/**
 * The layout of a ring: slots of a cache line. A record takes one slot or several that follow each other, and begins
 * with its sequence number (8 bytes), which is written last: the number of its first slot since the ring was made, plus
 * 1. Behind it stand the size of the data (4), the id of the message (2), the size of the header (2), the header, the
 * data. The numbers have the byte order of the machine. The sequence number of the next record is 0 until that is
 * written. A record that would reach over the end of the ring begins at its start, and a filler takes the slots before.
 *
 * <p>Beside the ring its owner shows how much of the peer's ring it has read, and whether it sleeps.
 */
final class RingLayout {

    static final int SLOT_BYTES = 64;
    static final int SLOT_SHIFT = 6;
    static final int HEAD_BYTES = 16;
    /** Where the three numbers behind the sequence number stand, which are written and read as one. */
    static final int NUMBERS_AT = 8;
    /** In place of the size of the data, in a filler. */
    static final int FILLER = -1;
    static final int MAX_HEADER_BYTES = 0xFFFF;

    /** Half of it has room for the largest batch of small messages. */
    static final int MIN_BYTES = 256 << 10;
    static final int MAX_BYTES = 64 << 20;

    /** The word of the slots that the owner has read of the peer's ring. */
    static final int READ_WORD = 0;
    /** The word that is odd while the owner sleeps, in a cache line of its own. */
    static final int SLEEP_WORD = 16;
    /** The word that is 1 while the owner sleeps and waits until the peer has read more of its ring, else 0. */
    static final int WAIT_WORD = 17;

    private RingLayout() {
    }

    static long numbers(int id, long headerBytes, long dataBytes) {
        return dataBytes & 0xFFFFFFFFL | (id & 0xFFFFL) << 32 | headerBytes << 48;
    }

    static int id(long numbers) {
        return (int) (numbers >>> 32) & 0xFFFF;
    }

    static int headerBytes(long numbers) {
        return (int) (numbers >>> 48);
    }

    static int dataBytes(long numbers) {
        return (int) numbers;
    }

    /** Returns whether a ring can have so many bytes. */
    static boolean isSize(long bytes) {
        return Long.bitCount(bytes) == 1 && bytes >= MIN_BYTES && bytes <= MAX_BYTES;
    }

    /** Returns the size of the largest record: half of the ring, so that a filler never keeps one out. */
    static long maxRecordBytes(long ringBytes) {
        return ringBytes / 2;
    }

    static long slots(long recordBytes) {
        return recordBytes + SLOT_BYTES - 1 >> SLOT_SHIFT;
    }
}
