package io.reactorucx.transport.record;

import java.util.Objects;
import javax.crypto.Cipher;

/**
 * Opens the bytes of large messages. Their parts come in any order, also after a change of keys: what the two sides
 * have told each other of a message is a record that came once, and has the place of each part.
 *
 * <p><b>Threading:</b> one at a time. <b>Ownership:</b> arrays stay the caller's. <b>Errors:</b> {@link
 * RecordException} for a part that was changed, or stands elsewhere.
 */
public final class BulkOpener {

    /** Changes of keys that one message may be ahead of those before. */
    private static final int MOST_PHASES = 16;

    private final Cipher cipher;
    private RecordSecret secret;
    private int phase;
    private RecordSecret previous;

    /** Creates an opener. */
    public BulkOpener(RecordSecret secret) {
        this.secret = secret;
        this.previous = secret;
        this.cipher = secret.cipher().cipher();
    }

    /** One message: its key, and where its parts begin. */
    public final class Message {

        private final RecordSecret key;
        private final long first;

        private Message(RecordSecret key, long first) {
            this.key = key;
            this.first = first;
        }

        /**
         * Opens a part.
         *
         * @param part its number within the message
         * @param length the encrypted bytes and the tag
         * @param to gets the bytes; not the array of the part
         */
        public void open(long part, byte[] from, int offset, int length, byte[] to, int toOffset)
                throws RecordException {
            Objects.checkFromIndexSize(offset, length, from.length);
            Objects.checkFromIndexSize(toOffset, length - BulkSealer.TAG_BYTES, to.length);
            key.decrypt(cipher, first + part, from, offset, length, to, toOffset);
        }
    }

    /**
     * Returns a message of which the peer has told.
     *
     * @param ofPhase which key it has
     * @param first the number of its first part
     */
    public Message message(int ofPhase, long first) throws RecordException {
        if (first < 0 || ofPhase < phase - 1 || ofPhase > phase + MOST_PHASES) {
            throw new RecordException("a message of key " + ofPhase + " from part " + first + " on, after key "
                    + phase);
        }
        for (; phase < ofPhase; phase++) {
            previous = secret;
            secret = secret.next();
        }
        return new Message(ofPhase == phase ? secret : previous, first);
    }
}
