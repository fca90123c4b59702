package io.reactorucx.transport.record;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * What the keys of one direction and class of messages come from, by HKDF-SHA-256 (RFC 5869). From a key of one phase
 * the next one follows, and not the other way round, as with the key update of QUIC (RFC 9001, 6).
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> the keys are the JDK's. <b>Errors:</b> none for a secret of TLS.
 */
public final class RecordSecret {

    private static final String KEY = "reactor-ucx key";
    private static final String IV = "reactor-ucx iv";
    private static final String NEXT = "reactor-ucx ku";
    private static final int SECRET_BYTES = 32;

    private final RecordCipher cipher;
    private final SecretKey secret;
    private final SecretKey key;
    private final byte[] iv;

    private RecordSecret(RecordCipher cipher, SecretKey secret) {
        this.cipher = cipher;
        this.secret = secret;
        this.key = derived(secret, KEY, cipher.keyAlgorithm(), cipher.keyBytes());
        this.iv = bytes(secret, IV, RecordCipher.NONCE_BYTES);
    }

    /**
     * Derives the secret of one direction and class of messages.
     *
     * @param exported what both sides of TLS have exported (RFC 8446, 7.5), at least 32 bytes
     * @param use names the direction and the class; both sides give the same
     */
    public static RecordSecret of(SecretKey exported, String use, RecordCipher cipher) {
        return new RecordSecret(cipher, derived(exported, use, "HKDF", SECRET_BYTES));
    }

    /** Returns the secret of the next phase. */
    RecordSecret next() {
        return new RecordSecret(cipher, derived(secret, NEXT, "HKDF", SECRET_BYTES));
    }

    RecordCipher cipher() {
        return cipher;
    }

    SecretKey key() {
        return key;
    }

    /** Encrypts bytes under a number that is not used for others, with nothing but its tag behind them. */
    void encrypt(Cipher with, long number, byte[] from, int offset, int length, byte[] to, int toOffset) {
        try {
            with.init(Cipher.ENCRYPT_MODE, key, cipher.parameters(nonce(number)));
            with.doFinal(from, offset, length, to, toOffset);
        } catch (InvalidKeyException | InvalidAlgorithmParameterException e) {
            throw new IllegalStateException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bytes in an array that is large enough cannot be encrypted", e);
        }
    }

    /** Decrypts what the peer has encrypted under a number. */
    void decrypt(Cipher with, long number, byte[] from, int offset, int length, byte[] to, int toOffset)
            throws RecordException {
        try {
            with.init(Cipher.DECRYPT_MODE, key, cipher.parameters(nonce(number)));
            with.doFinal(from, offset, length, to, toOffset);
        } catch (InvalidKeyException | InvalidAlgorithmParameterException e) {
            throw new IllegalStateException(e);
        } catch (GeneralSecurityException e) {
            throw new RecordException("part " + number + " of the data was changed, or is not the peer's");
        }
    }

    /** Returns the nonce of a record: its number, added to the initial vector bit by bit. */
    byte[] nonce(long number) {
        byte[] nonce = iv.clone();
        for (int i = 0; i < Long.BYTES; i++) {
            nonce[nonce.length - 1 - i] ^= (byte) (number >>> i * Byte.SIZE);
        }
        return nonce;
    }

    private static SecretKey derived(SecretKey from, String info, String algorithm, int bytes) {
        try {
            return kdf().deriveKey(algorithm, expand(from, info, bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(SecretKey from, String info, int bytes) {
        try {
            return kdf().deriveData(expand(from, info, bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KDF kdf() throws GeneralSecurityException {
        return KDF.getInstance("HKDF-SHA256");
    }

    private static HKDFParameterSpec expand(SecretKey from, String info, int bytes) {
        return HKDFParameterSpec.expandOnly(from, info.getBytes(StandardCharsets.US_ASCII), bytes);
    }

    /** {@return without the secret} */
    @Override
    public String toString() {
        return "RecordSecret[" + cipher + "]";
    }
}
