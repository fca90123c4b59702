package io.reactorucx.transport.record;

import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/** The ways to encrypt a record so that nobody changes it (AEAD), each with a tag of 16 bytes and a nonce of 12. */
public enum RecordCipher {

    /** The default: the fastest where the processor has AES. */
    AES_128_GCM("AES/GCM/NoPadding", "AES", 16),
    /** The same with longer keys. */
    AES_256_GCM("AES/GCM/NoPadding", "AES", 32),
    /** For processors without AES (RFC 8439). */
    CHACHA20_POLY1305("ChaCha20-Poly1305", "ChaCha20", 32);

    static final int TAG_BYTES = 16;
    static final int NONCE_BYTES = 12;

    private final String transformation;
    private final String keyAlgorithm;
    private final int keyBytes;

    RecordCipher(String transformation, String keyAlgorithm, int keyBytes) {
        this.transformation = transformation;
        this.keyAlgorithm = keyAlgorithm;
        this.keyBytes = keyBytes;
    }

    String keyAlgorithm() {
        return keyAlgorithm;
    }

    int keyBytes() {
        return keyBytes;
    }

    Cipher cipher() {
        try {
            return Cipher.getInstance(transformation);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + transformation, e);
        }
    }

    AlgorithmParameterSpec parameters(byte[] nonce) {
        return this == CHACHA20_POLY1305 ? new IvParameterSpec(nonce)
                : new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce);
    }
}
