package io.reactorucx.transport.record;

import java.util.Objects;
import javax.crypto.Cipher;

/**
 * Seals the bytes of large messages, each message in parts of {@link #PART_BYTES} and a rest. A part becomes as many
 * encrypted bytes and a tag of 16; its number does not travel with it, but what the two sides tell each other of the
 * message has the number of its first part and its key.
 *
 * <p><b>Threading:</b> one at a time. <b>Ownership:</b> arrays stay the caller's. <b>Errors:</b> {@link
 * IndexOutOfBoundsException} for places outside of an array.
 */
public final class BulkSealer {

    /** The size of each part but the last one. */
    public static final int PART_BYTES = RecordSealer.MAX_BYTES;
    /** What a part is longer than its bytes. */
    public static final int TAG_BYTES = RecordCipher.TAG_BYTES;

    private final RecordLimits limits;
    private final Cipher cipher;
    private RecordSecret secret;
    private int phase;
    private long number;
    private long parts;
    private long bytes;
    private long unsentParts;
    private long unsentBytes;

    /** Creates a sealer whose first part has the number 0. */
    public BulkSealer(RecordSecret secret, RecordLimits limits) {
        this.secret = secret;
        this.limits = limits;
        this.cipher = secret.cipher().cipher();
    }

    /** Returns how many parts a message has. */
    public static long parts(long messageBytes) {
        return (messageBytes + PART_BYTES - 1) / PART_BYTES;
    }

    /** Begins a message, with the next key if this one would seal more than it may; returns its first part's number. */
    public long begin(long messageBytes) {
        if (unsentParts > 0) {
            // What was never sent does not count: else keys could change more often than the peer sees messages.
            parts -= unsentParts;
            bytes -= unsentBytes;
        }
        unsentParts = parts(messageBytes);
        unsentBytes = messageBytes;
        if (parts > 0 && (parts + parts(messageBytes) > limits.records() || bytes + messageBytes > limits.bytes())) {
            secret = secret.next();
            phase++;
            parts = 0;
            bytes = 0;
        }
        parts += parts(messageBytes);
        bytes += messageBytes;
        return number;
    }

    /** The message that was begun is on its way. */
    public void sent() {
        unsentParts = 0;
        unsentBytes = 0;
    }

    /** Returns which key the message has that was begun, the first one 0. */
    public int phase() {
        return phase;
    }

    /**
     * Seals the next part of the message.
     *
     * @param to gets the encrypted bytes and the tag; not the array of the bytes
     */
    public void seal(byte[] from, int offset, int length, byte[] to, int toOffset) {
        Objects.checkFromIndexSize(offset, length, from.length);
        Objects.checkFromIndexSize(toOffset, length + TAG_BYTES, to.length);
        secret.encrypt(cipher, number++, from, offset, length, to, toOffset);
    }
}
