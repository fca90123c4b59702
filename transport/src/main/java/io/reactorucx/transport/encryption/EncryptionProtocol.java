package io.reactorucx.transport.encryption;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.security.EncryptionCipher;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.EncryptionOffer;
import io.reactorucx.transport.handshake.PeerInfo;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The encryption of one connection: agrees on mode and cipher, and takes the peer's records.
 *
 * <p>Thread: engine.
 */
final class EncryptionProtocol implements ProtocolHandler {

    private final ConnectionCore connection;
    private final EncryptingCarrier carrier;
    private final Function<ConnectionKeys, RecordReceiver> receivers;
    private @Nullable ConnectionKeys keys;
    private @Nullable RecordReceiver receiver;

    EncryptionProtocol(ConnectionCore connection, EncryptingCarrier carrier,
            Function<ConnectionKeys, RecordReceiver> receivers) {
        this.connection = connection;
        this.carrier = carrier;
        this.receivers = receivers;
    }

    @Override
    public void connected(PeerInfo peer) {
        ConnectionIdentity identity = Objects.requireNonNull(connection.identity());
        EncryptionOffer own = EncryptionOffer.of(connection.config().protocol().encryption());
        EncryptionMode mode = own.with(peer.encryption());
        EncryptionCipher cipher = (identity.isOfClient() ? peer.encryption() : own).cipher();
        ConnectionKeys made = new ConnectionKeys(identity, cipher);
        carrier.agreed(mode, made);
        keys = made;
    }

    @Override
    public void received(UcpActiveMessage message) {
        RecordReceiver made = receiver;
        if (made == null) {
            // Not before the first record: the data of most connections within a host stays clear.
            made = receivers.apply(Objects.requireNonNull(keys, "no record comes before the handshake is done"));
            receiver = made;
        }
        made.received(message);
    }
}
