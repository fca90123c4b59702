package io.reactorucx.transport.record;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.util.Objects;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * Opens the records of one side, which may overtake each other by at most 1,023. Nothing of a record is delivered
 * before its tag was checked. The first record that is wrong ends the opener: what was changed once may be changed
 * again. One that is left out is found out when it would be later than that.
 *
 * <p><b>Threading:</b> one at a time. <b>Ownership:</b> arrays stay the caller's. <b>Errors:</b> {@link
 * RecordException} for a record that was changed or repeated, and for one that shows that another was left out; {@link
 * IndexOutOfBoundsException} for places outside of an array.
 */
public final class RecordOpener {

    private final Cipher cipher;
    private final ReplayWindow window = new ReplayWindow();
    private @Nullable RecordSecret previous;
    private RecordSecret current;
    private boolean phase;
    /** The first number of the current key. */
    private long firstOfPhase;
    private boolean failed;

    /** Creates an opener of records of which the first has the number 0. */
    public RecordOpener(RecordSecret secret) {
        this.current = secret;
        this.cipher = secret.cipher().cipher();
    }

    /**
     * Opens a record.
     *
     * @param context what the sealer was given
     * @param from has the record
     * @param to gets the bytes, {@link RecordSealer#OVERHEAD_BYTES} fewer than the record; not the array of the record
     * @return the number of bytes
     */
    public int open(byte[] context, byte[] from, int offset, int length, byte[] to, int toOffset)
            throws RecordException {
        return open(context, 0, from, offset, length, to, toOffset);
    }

    /**
     * Opens a record before which the peer has sealed others that it could not send.
     *
     * @param skipped how many these are, which the context has to prove
     */
    public int open(byte[] context, long skipped, byte[] from, int offset, int length, byte[] to, int toOffset)
            throws RecordException {
        Objects.checkFromIndexSize(offset, length, from.length);
        if (failed) {
            throw new RecordException("a record before was wrong");
        }
        // Until it has turned out to be right.
        failed = true;
        int bytes = length - RecordSealer.OVERHEAD_BYTES;
        if (bytes < 0) {
            throw new RecordException("a record of " + length + " bytes: has at least " + RecordSealer.OVERHEAD_BYTES);
        }
        if (to.length - toOffset < bytes || toOffset < 0) {
            failed = false;
            throw new IndexOutOfBoundsException("a record of " + bytes + " bytes at " + toOffset + " of "
                    + to.length);
        }
        long number = RecordHead.number(from, offset);
        if (skipped < 0 || skipped > number || !window.admits(number)) {
            throw new RecordException("record " + number + " where " + window.next() + " is next");
        }
        RecordSecret secret = secret(RecordHead.phase(from, offset), number);
        decrypt(secret, number, context, from, offset, length, to, toOffset);
        if (secret != current && secret != previous) {
            previous = current;
            current = secret;
            phase = !phase;
            firstOfPhase = number;
        }
        if (!window.add(number, skipped)) {
            throw new RecordException("a record before " + (number - ReplayWindow.SIZE) + " was left out");
        }
        failed = false;
        return bytes;
    }

    /** Returns the secret of a record: the current one, the one before, or the next, whose first record this is. */
    private RecordSecret secret(boolean ofPhase, long number) {
        RecordSecret before = previous;
        if (ofPhase == phase) {
            return current;
        }
        return before != null && number < firstOfPhase ? before : current.next();
    }

    private void decrypt(RecordSecret secret, long number, byte[] context, byte[] from, int offset, int length,
            byte[] to, int toOffset) throws RecordException {
        try {
            cipher.init(Cipher.DECRYPT_MODE, secret.key(), secret.cipher().parameters(secret.nonce(number)));
            cipher.updateAAD(from, offset, RecordHead.BYTES);
            cipher.updateAAD(context);
            cipher.doFinal(from, offset + RecordHead.BYTES, length - RecordHead.BYTES, to, toOffset);
        } catch (InvalidKeyException | InvalidAlgorithmParameterException e) {
            throw new IllegalStateException(e);
        } catch (GeneralSecurityException e) {
            throw new RecordException("record " + number + " was changed, or is not the peer's");
        }
    }

    /** Returns the lowest number of a record that others have overtaken, and that has not come yet; -1 for none. */
    public long missing() {
        return window.missing();
    }

    /** Returns the number of the record that is next if all come in their order. */
    public long next() {
        return window.next();
    }
}
