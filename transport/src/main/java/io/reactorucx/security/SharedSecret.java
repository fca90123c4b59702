package io.reactorucx.security;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates by a secret that both sides know. A proof is an HMAC-SHA-256 over a label with the protocol's version,
 * the role of the proving side, 32 random bytes of each side, and the transcript. With the role a peer cannot return
 * the proof that it got, with the random bytes of each side no proof is valid twice, and with the transcript none is
 * valid for other limits, addresses or tokens.
 */
final class SharedSecret implements Authenticator {

    static final int NONCE_BYTES = 32;

    private static final int MIN_SECRET_BYTES = 16;
    /** The version of the handshake's protocol, which is part of the label. */
    private static final int PROTOCOL_VERSION = 4;
    private static final String ALGORITHM = "HmacSHA256";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] secret;

    SharedSecret(byte[] secret) {
        if (Objects.requireNonNull(secret, "secret").length < MIN_SECRET_BYTES) {
            throw new IllegalArgumentException("secret of " + secret.length + " bytes: must have at least "
                    + MIN_SECRET_BYTES);
        }
        this.secret = secret.clone();
    }

    private enum Role { CLIENT, SERVER }

    @Override
    public String method() {
        return "hmac-sha-256";
    }

    @Override
    public ClientSide clientSide(String server) {
        return new Client();
    }

    @Override
    public ServerSide serverSide(String client) {
        return new Server();
    }

    private static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    private byte[] proof(Role role, byte[] ofClient, byte[] ofServer, byte @Nullable [] transcript) {
        if (transcript == null) {
            throw new SecurityException("the transcript is missing: an authenticator that wraps this one hands it on");
        }
        byte[] label = ("reactor-ucx " + PROTOCOL_VERSION + " " + role)
                .getBytes(StandardCharsets.US_ASCII);
        ByteBuffer text = ByteBuffer.allocate(label.length + 1 + 2 * NONCE_BYTES + transcript.length).put(label)
                .put((byte) 0).put(ofClient).put(ofServer).put(transcript);
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            return mac.doFinal(text.array());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is missing in this JDK", e);
        }
    }

    private static byte[] checkedNonce(String whose, byte[] bytes) {
        if (bytes.length != NONCE_BYTES) {
            throw new SecurityException(whose + " has " + bytes.length + " bytes and not " + NONCE_BYTES);
        }
        return bytes;
    }

    private static void check(byte[] expected, byte[] proof) {
        if (!MessageDigest.isEqual(expected, proof)) {
            throw new SecurityException("the proof is wrong");
        }
    }

    @Override
    public String toString() {
        return method();
    }

    private final class Client implements ClientSide {

        private final byte[] own = nonce();
        private byte[] other = new byte[NONCE_BYTES];
        private byte @Nullable [] transcript;

        @Override
        public byte[] opening() {
            return own.clone();
        }

        @Override
        public void transcript(byte[] digest) {
            transcript = digest;
        }

        @Override
        public CompletionStage<byte[]> prove(byte[] challenge) {
            other = checkedNonce("the challenge", challenge);
            return CompletableFuture.completedFuture(proof(Role.CLIENT, own, other, transcript));
        }

        @Override
        public CompletionStage<Void> verify(byte[] proof) {
            check(proof(Role.SERVER, own, other, transcript), proof);
            return CompletableFuture.completedFuture(null);
        }
    }

    private final class Server implements ServerSide {

        private final byte[] own = nonce();
        private byte[] other = new byte[NONCE_BYTES];
        private byte @Nullable [] transcript;

        @Override
        public CompletionStage<byte[]> challenge(byte[] opening) {
            other = checkedNonce("the opening", opening);
            return CompletableFuture.completedFuture(own.clone());
        }

        @Override
        public void transcript(byte[] digest) {
            transcript = digest;
        }

        @Override
        public CompletionStage<byte[]> verify(byte[] proof) {
            check(proof(Role.CLIENT, other, own, transcript), proof);
            return CompletableFuture.completedFuture(proof(Role.SERVER, other, own, transcript));
        }
    }
}
