package io.reactorucx.transport.handshake;

import io.reactorucx.transport.frame.ControlFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 digests of what both sides of a handshake have to agree on. */
final class HandshakeDigest {

    private static final byte[] LABEL = "reactor-ucx transcript".getBytes(StandardCharsets.US_ASCII);

    private HandshakeDigest() {
    }

    static byte[] of(byte[] bytes) {
        return sha256().digest(bytes);
    }

    /** Returns the digest of frames as they were sent, in their order. */
    static byte[] of(ControlFrame... frames) {
        MessageDigest digest = sha256();
        digest.update(LABEL);
        for (ControlFrame frame : frames) {
            byte[] bytes = frame.toBytes();
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
            digest.update(bytes);
        }
        return digest.digest();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing in this JDK", e);
        }
    }
}
