package io.reactorucx.security;

import java.util.Objects;

/**
 * The encryption of what a connection carries over UCX and over memory: messages, requests, streams, active messages
 * and served memory. The keys come from the connection's TLS.
 *
 * <p>Tags, byte streams of UCX and one-sided access to memory cannot be encrypted: on a connection that is encrypted
 * they are refused, unless {@link #rawOperationsAllowed()}.
 *
 * <p><b>Threading:</b> any. <b>Ownership:</b> immutable. <b>Errors:</b> {@link IllegalArgumentException} for limits out
 * of range; a peer with mode OFF and one with another mode do not connect, with the reason on both sides.
 *
 * @param mode whether data is encrypted
 * @param cipher how; the server's counts
 * @param recordsPerKey after so many records comes the next key, 1,024 to 2^23
 * @param bytesPerKey after so many bytes as well, 2^26 to 2^37
 * @param rawOperationsAllowed whether this side may use what cannot be encrypted on an encrypted connection
 */
public record EncryptionConfig(EncryptionMode mode, EncryptionCipher cipher, long recordsPerKey, long bytesPerKey,
        boolean rawOperationsAllowed) {

    /** Mode NETWORK, AES-128-GCM, keys for as long as AES-GCM allows, no raw operations. */
    public static final EncryptionConfig DEFAULT = new EncryptionConfig(EncryptionMode.NETWORK,
            EncryptionCipher.AES_128_GCM, 1L << 23, 1L << 37, false);

    private static final long FEWEST_RECORDS = 1024;
    private static final long MOST_RECORDS = 1L << 23;
    private static final long FEWEST_BYTES = 1L << 26;
    private static final long MOST_BYTES = 1L << 37;

    /** Checks the limits. */
    public EncryptionConfig {
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(cipher, "cipher");
        check("recordsPerKey", recordsPerKey, FEWEST_RECORDS, MOST_RECORDS);
        check("bytesPerKey", bytesPerKey, FEWEST_BYTES, MOST_BYTES);
    }

    private static void check(String name, long value, long fewest, long most) {
        if (value < fewest || value > most) {
            throw new IllegalArgumentException(name + " " + value + ": must be in " + fewest + ".." + most);
        }
    }

    /**
     * The same in another mode.
     *
     * @param value see {@link #mode()}
     * @return a changed copy
     */
    public EncryptionConfig withMode(EncryptionMode value) {
        return new EncryptionConfig(value, cipher, recordsPerKey, bytesPerKey, rawOperationsAllowed);
    }

    /**
     * The same with another cipher.
     *
     * @param value see {@link #cipher()}
     * @return a changed copy
     */
    public EncryptionConfig withCipher(EncryptionCipher value) {
        return new EncryptionConfig(mode, value, recordsPerKey, bytesPerKey, rawOperationsAllowed);
    }

    /**
     * The same with keys that last less long.
     *
     * @param records see {@link #recordsPerKey()}
     * @param bytes see {@link #bytesPerKey()}
     * @return a changed copy
     */
    public EncryptionConfig withKeyLimits(long records, long bytes) {
        return new EncryptionConfig(mode, cipher, records, bytes, rawOperationsAllowed);
    }

    /**
     * The same with or without operations that cannot be encrypted.
     *
     * @param value see {@link #rawOperationsAllowed()}
     * @return a changed copy
     */
    public EncryptionConfig withRawOperationsAllowed(boolean value) {
        return new EncryptionConfig(mode, cipher, recordsPerKey, bytesPerKey, value);
    }
}
