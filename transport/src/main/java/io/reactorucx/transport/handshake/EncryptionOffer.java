package io.reactorucx.transport.handshake;

import io.reactorucx.security.EncryptionCipher;
import io.reactorucx.security.EncryptionConfig;
import io.reactorucx.security.EncryptionMode;
import org.jspecify.annotations.Nullable;

/**
 * What one side wants of the encryption of data.
 *
 * @param mode whether it wants it
 * @param cipher which cipher it takes, if it is the server
 */
public record EncryptionOffer(EncryptionMode mode, EncryptionCipher cipher) {

    /** Of a side that has no TLS, or encrypts nothing. */
    public static final EncryptionOffer NONE = new EncryptionOffer(EncryptionMode.OFF, EncryptionCipher.AES_128_GCM);

    /** What the header of an encrypted message is longer by, at most, without tags. */
    public static final int HEADER_BYTES = 64;

    private static final EncryptionMode[] MODES = EncryptionMode.values();
    private static final EncryptionCipher[] CIPHERS = EncryptionCipher.values();

    /** Returns what a configuration wants. */
    public static EncryptionOffer of(EncryptionConfig config) {
        return config.mode() == EncryptionMode.OFF ? NONE : new EncryptionOffer(config.mode(), config.cipher());
    }

    /** Returns how long headers may be, of so many bytes that UCX allows. */
    public int headerBytes(int maxHeaderBytes) {
        return mode == EncryptionMode.OFF ? maxHeaderBytes : maxHeaderBytes - HEADER_BYTES;
    }

    byte[] toBytes() {
        return new byte[] {(byte) mode.ordinal(), (byte) cipher.ordinal()};
    }

    /** Returns what a peer has sent, null for values that this version does not know. */
    static @Nullable EncryptionOffer of(byte[] bytes) {
        boolean known = bytes[0] >= 0 && bytes[0] < MODES.length && bytes[1] >= 0 && bytes[1] < CIPHERS.length;
        return known ? new EncryptionOffer(MODES[bytes[0]], CIPHERS[bytes[1]]) : null;
    }

    /** Returns the mode of a connection: the stronger one. */
    public EncryptionMode with(EncryptionOffer other) {
        return mode.compareTo(other.mode) >= 0 ? mode : other.mode;
    }
}
