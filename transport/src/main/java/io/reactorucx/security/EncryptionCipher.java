package io.reactorucx.security;

/** How records of data are encrypted, so that nobody reads or changes them. */
public enum EncryptionCipher {

    /** AES-GCM with keys of 128 bits: the fastest where the processor has AES. */
    AES_128_GCM,
    /** AES-GCM with keys of 256 bits. */
    AES_256_GCM,
    /** ChaCha20-Poly1305 (RFC 8439), for processors without AES. */
    CHACHA20_POLY1305
}
