package io.reactorucx.core.uct;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What packed keys have to hold, as far as UCX's parsers rely on it: they are told no length, and abort the process on an empty range. */
final class KeyFormat {

    /** {@code seg_id} (8 bytes), {@code address} (8), {@code length} (8), then the folder of the file where it is not the usual one. */
    private static final int POSIX_BYTES = 24;
    private static final int POSIX_LENGTH_OFFSET = 16;
    /** {@code shmid} (4 bytes), {@code owner_ptr} (8). */
    private static final int SYSV_BYTES = 12;
    private static final long MAX_BYTES = 1L << 47;

    private KeyFormat() {
    }

    static void check(byte[] key, UctMemoryDomain domain) {
        switch (domain.component().name()) {
            case "posix" -> {
                checkSize(key, POSIX_BYTES, domain);
                long length = ByteBuffer.wrap(key).order(ByteOrder.nativeOrder()).getLong(POSIX_LENGTH_OFFSET);
                if (length < 1 || length > MAX_BYTES) {
                    throw new IllegalArgumentException("key: a length of " + length + " bytes, must be in 1.." + MAX_BYTES);
                }
            }
            case "sysv" -> checkSize(key, SYSV_BYTES, domain);
            default -> checkSize(key, domain.attributes().packedKeyBytes(), domain);
        }
    }

    private static void checkSize(byte[] key, long bytes, UctMemoryDomain domain) {
        if (key.length < bytes) {
            throw new IllegalArgumentException("key of " + key.length + " bytes: one of " + domain + " has at least " + bytes);
        }
    }
}
