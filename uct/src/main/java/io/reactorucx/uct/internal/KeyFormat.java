package io.reactorucx.uct.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The contents of packed keys that UCX's parsers rely on: the parsers get no length, and abort the process on an empty
 * range.
 */
public final class KeyFormat {

    /**
     * {@code seg_id} (8 bytes), {@code address} (8), {@code length} (8), then the folder of the file where it is not
     * the usual one.
     */
    private static final int POSIX_BYTES = 24;
    private static final int POSIX_ADDRESS_OFFSET = 8;
    private static final int POSIX_LENGTH_OFFSET = 16;
    /** {@code shmid} (4 bytes), {@code owner_ptr} (8). */
    private static final int SYSV_BYTES = 12;
    private static final int SYSV_ADDRESS_OFFSET = 4;
    private static final long MAX_BYTES = 1L << 47;

    private KeyFormat() {
    }

    /**
     * Refuses a key that UCX could not parse.
     *
     * @param component the name of the component whose domain is to take it
     * @param bytes the size of a key of that domain
     */
    public static void check(byte[] key, String component, long bytes) {
        switch (component) {
            case "posix" -> {
                checkSize(key, POSIX_BYTES, component);
                long length = number(key, POSIX_LENGTH_OFFSET);
                if (length < 1 || length > MAX_BYTES) {
                    throw new IllegalArgumentException("key: a length of " + length + " bytes, must be in 1.."
                            + MAX_BYTES);
                }
            }
            case "sysv" -> checkSize(key, SYSV_BYTES, component);
            default -> checkSize(key, bytes, component);
        }
    }

    private static long number(byte[] key, int offset) {
        return ByteBuffer.wrap(key).order(ByteOrder.nativeOrder()).getLong(offset);
    }

    /**
     * Whether a range of a peer's memory is in what its key maps here, and not in another mapping that happens to be
     * next to it.
     *
     * @param component the name of the component whose domain has packed the key
     * @param address the owner's address of the memory that the key is for
     * @param distance from the owner's addresses to those of the mapping, which begins where the key says that the
     *     owner's memory begins
     */
    public static boolean isMapped(byte[] key, String component, long address, long distance, long offset,
            long length) {
        boolean posix = component.equals("posix");
        if (!posix && !component.equals("sysv")) {
            return false;
        }
        long owner = number(key, posix ? POSIX_ADDRESS_OFFSET : SYSV_ADDRESS_OFFSET);
        long limit = posix ? number(key, POSIX_LENGTH_OFFSET) : MAX_BYTES;
        long from = address + offset - owner;
        return from >= 0 && length <= limit && from <= limit - length
                && SharedMappings.contain(distance + owner, from + length);
    }

    private static void checkSize(byte[] key, long bytes, String component) {
        if (key.length < bytes) {
            throw new IllegalArgumentException("key of " + key.length + " bytes: one of a domain of " + component
                    + " has at least " + bytes);
        }
    }
}
