package io.reactorucx.transport;

import java.util.Objects;

/**
 * What an engine has encrypted.
 *
 * @param encryptedConnections the connections, since the start, whose data is encrypted
 * @param sealedRecords the records and parts of large messages that were encrypted
 * @param sealedBytes their bytes, before that
 * @param openedRecords the records and parts that were decrypted
 * @param openedBytes their bytes, after that
 * @param brokenConnections the connections that ended because a record was changed, repeated or left out
 * @param memoryBytes the native memory of encrypted messages that are on their way, or were
 */
public record EncryptionStatistics(long encryptedConnections, long sealedRecords, long sealedBytes, long openedRecords,
        long openedBytes, long brokenConnections, long memoryBytes) {

    /** Of an engine without encryption. */
    public static final EncryptionStatistics NONE = new EncryptionStatistics(0, 0, 0, 0, 0, 0, 0);

    /** {@return the sums of both} */
    public EncryptionStatistics plus(EncryptionStatistics other) {
        Objects.requireNonNull(other, "other");
        return new EncryptionStatistics(encryptedConnections + other.encryptedConnections,
                sealedRecords + other.sealedRecords, sealedBytes + other.sealedBytes,
                openedRecords + other.openedRecords, openedBytes + other.openedBytes,
                brokenConnections + other.brokenConnections, memoryBytes + other.memoryBytes);
    }
}
