package io.reactorucx.transport.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpPeerAddress;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.handshake.PeerInfo;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose handshake is done. It reaches its subscriber when that one requests it, on any thread.
 *
 * @param connection the connection
 * @param peer what the peer told about itself, null for a raw peer
 * @param address of the peer's worker, null where it is not known
 * @param ofClient whether this side has connected
 */
public record Established(ConnectionCore connection, @Nullable PeerInfo peer, @Nullable UcpPeerAddress address,
        boolean ofClient) {

    /** Returns why the connection does not go over a kind, empty where it does. Thread: any. */
    public Optional<String> whyNot(UcxTransportKind kind) {
        return new TransportChoice(connection, peer, ofClient).whyNot(kind, address);
    }

    /** Returns where UCX may connect to the peer by tcp, as the address of its worker says. Thread: any. */
    public List<InetSocketAddress> tcpAddresses() {
        return address == null ? List.of() : address.tcpAddresses();
    }

    /** Closes the connection, which nobody has taken. */
    public void giveBack() {
        connection.close(CloseMode.FLUSH);
    }
}
