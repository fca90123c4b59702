package io.reactorucx.transport.encryption;

import io.reactorucx.security.EncryptionCipher;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.record.RecordCipher;
import io.reactorucx.transport.record.RecordSecret;
import java.util.HexFormat;
import java.util.Objects;
import javax.crypto.SecretKey;

/**
 * The secrets of one connection: what TLS has exported, for each direction and kind of record, and for the two tokens
 * by which the sides have named this connection to each other.
 *
 * <p>Thread: any.
 */
final class ConnectionKeys {

    private static final String CLIENT = "client";
    private static final String SERVER = "server";
    private static final String BULK = "bulk";

    private final SecretKey exported;
    private final RecordCipher cipher;
    private final String own;
    private final String peer;
    private final String connection;

    ConnectionKeys(ConnectionIdentity identity, EncryptionCipher cipher) {
        this.exported = Objects.requireNonNull(identity.exported(), "there is no TLS");
        this.cipher = RecordCipher.valueOf(cipher.name());
        boolean client = identity.isOfClient();
        this.own = client ? CLIENT : SERVER;
        this.peer = client ? SERVER : CLIENT;
        long ofClient = client ? identity.ownToken() : identity.peerToken();
        long ofServer = client ? identity.peerToken() : identity.ownToken();
        this.connection = HexFormat.of().toHexDigits(ofClient) + " " + HexFormat.of().toHexDigits(ofServer);
    }

    RecordSecret toSeal(RecordFrame.Kind kind) {
        return secret(own, kind.name());
    }

    RecordSecret toOpen(RecordFrame.Kind kind) {
        return secret(peer, kind.name());
    }

    RecordSecret toSealBulk() {
        return secret(own, BULK);
    }

    RecordSecret toOpenBulk() {
        return secret(peer, BULK);
    }

    private RecordSecret secret(String sender, String use) {
        return RecordSecret.of(exported, sender + " " + use + " " + connection, cipher);
    }

    @Override
    public String toString() {
        return "ConnectionKeys of a " + own;
    }
}
