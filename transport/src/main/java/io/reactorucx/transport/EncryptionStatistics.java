package io.reactorucx.transport;

/**
 * What an engine has encrypted.
 *
 * @param encryptedConnections the connections, since the start, whose data is encrypted
 * @param sealedRecords the records and parts of large messages that were encrypted
 * @param sealedBytes their bytes, before that
 * @param openedRecords the records and parts that were decrypted
 * @param openedBytes their bytes, after that
 * @param brokenConnections the connections that ended because a record was changed, repeated, left out or not encrypted
 */
public record EncryptionStatistics(long encryptedConnections, long sealedRecords, long sealedBytes, long openedRecords,
        long openedBytes, long brokenConnections) {

    /** Of an engine without encryption. */
    public static final EncryptionStatistics NONE = new EncryptionStatistics(0, 0, 0, 0, 0, 0);

    /** {@return the sums of both} */
    public EncryptionStatistics plus(EncryptionStatistics other) {
        return new EncryptionStatistics(encryptedConnections + other.encryptedConnections,
                sealedRecords + other.sealedRecords, sealedBytes + other.sealedBytes,
                openedRecords + other.openedRecords, openedBytes + other.openedBytes,
                brokenConnections + other.brokenConnections);
    }
}
