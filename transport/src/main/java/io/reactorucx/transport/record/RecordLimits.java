package io.reactorucx.transport.record;

/**
 * After how much a key is replaced by the next one. A key lasts for at least as many records as may overtake each
 * other, so that no more than two are in use.
 *
 * @param records the records of one key, 1,024 to 2^23
 * @param bytes their bytes, 2^26 to 2^37; a record has at most 2^16
 */
public record RecordLimits(long records, long bytes) {

    /** Below what is known to be safe for AES-GCM (RFC 8446, 5.5). */
    private static final long MOST_RECORDS = 1L << 23;
    private static final long MOST_BYTES = 1L << 37;
    private static final long FEWEST_BYTES = (long) ReplayWindow.SIZE * RecordSealer.MAX_BYTES;

    public static final RecordLimits DEFAULT = new RecordLimits(MOST_RECORDS, MOST_BYTES);

    public RecordLimits {
        check("records", records, ReplayWindow.SIZE, MOST_RECORDS);
        check("bytes", bytes, FEWEST_BYTES, MOST_BYTES);
    }

    private static void check(String name, long value, long fewest, long most) {
        if (value < fewest || value > most) {
            throw new IllegalArgumentException(name + " " + value + ": must be in " + fewest + ".." + most);
        }
    }
}
