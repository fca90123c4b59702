package io.reactorucx.transport.record;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.util.Objects;
import javax.crypto.Cipher;

/**
 * Seals what one side sends, each record under a number of its own. A record is its head of 8 bytes, the encrypted
 * bytes, and a tag of 16. The arrays are on the heap: there the JDK's ciphers are several times as fast as in native
 * memory.
 *
 * <p><b>Threading:</b> one at a time. <b>Ownership:</b> arrays stay the caller's. <b>Errors:</b> {@link
 * IndexOutOfBoundsException} for places outside of an array.
 */
public final class RecordSealer {

    /** What a record has more than its bytes. */
    public static final int OVERHEAD_BYTES = RecordHead.BYTES + RecordCipher.TAG_BYTES;

    /** The most bytes of a record. */
    public static final int MAX_BYTES = 1 << 16;

    private final RecordLimits limits;
    private final Cipher cipher;
    private RecordSecret secret;
    private boolean phase;
    private long number;
    private long recordsLeft;
    private long bytesLeft;

    /** Creates a sealer whose first record has the number 0. */
    public RecordSealer(RecordSecret secret, RecordLimits limits) {
        this.secret = secret;
        this.limits = limits;
        this.cipher = secret.cipher().cipher();
        this.recordsLeft = limits.records();
        this.bytesLeft = limits.bytes();
    }

    /**
     * Seals bytes.
     *
     * @param context what both sides know of the record and does not travel in it: its tag covers that, too
     * @param from has the bytes, at most {@link #MAX_BYTES}
     * @param to gets the record, {@link #OVERHEAD_BYTES} more than the bytes; not the array of the bytes
     * @return the size of the record
     */
    public int seal(byte[] context, byte[] from, int offset, int length, byte[] to, int toOffset) {
        if (length > MAX_BYTES) {
            throw new IllegalArgumentException("length " + length + ": must be at most " + MAX_BYTES);
        }
        Objects.checkFromIndexSize(offset, length, from.length);
        Objects.checkFromIndexSize(toOffset, length + OVERHEAD_BYTES, to.length);
        if (recordsLeft == 0 || bytesLeft < length && bytesLeft < limits.bytes()) {
            secret = secret.next();
            phase = !phase;
            recordsLeft = limits.records();
            bytesLeft = limits.bytes();
        }
        if (number == RecordHead.MAX_NUMBER) {
            throw new IllegalStateException("all numbers of records are used");
        }
        RecordHead.put(to, toOffset, phase, number);
        try {
            cipher.init(Cipher.ENCRYPT_MODE, secret.key(), secret.cipher().parameters(secret.nonce(number)));
            cipher.updateAAD(to, toOffset, RecordHead.BYTES);
            cipher.updateAAD(context);
            cipher.doFinal(from, offset, length, to, toOffset + RecordHead.BYTES);
        } catch (InvalidKeyException | InvalidAlgorithmParameterException e) {
            throw new IllegalStateException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bytes in an array that is large enough cannot be encrypted", e);
        }
        number++;
        recordsLeft--;
        bytesLeft = Math.max(0, bytesLeft - length);
        return length + OVERHEAD_BYTES;
    }

    /**
     * The record that was sealed last, of so many bytes, will never be sent. Its number stays used, but it does not
     * count for the limits of a key: else keys could change more often than an opener sees records of them.
     */
    public void discarded(int length) {
        recordsLeft = Math.min(limits.records(), recordsLeft + 1);
        bytesLeft = Math.min(limits.bytes(), bytesLeft + length);
    }
}
