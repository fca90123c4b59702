package io.reactorucx.transport.endpoint;

import io.reactorucx.core.UcpPeerAddress;
import io.reactorucx.transport.config.NetworkDevices;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where a peer is, by its end of the control socket, and what its worker's address may name therefore. A peer of this
 * host has addresses of this host, and shared memory of it. Any other one has neither: it may have several addresses,
 * of which the handshake shows one, and its devices can have addresses that this host has as well, such as that of a
 * bridge for containers.
 *
 * <p>Thread: any.
 *
 * @param address the peer's end of the control socket
 */
public record PeerHost(InetAddress address) {

    private boolean isThisHost() {
        return NetworkDevices.isLocal(address);
    }

    /** Returns where UCX must not connect to, of what the address of the peer's worker says. */
    public Set<InetSocketAddress> foreign(UcpPeerAddress peer) {
        if (peer.tcpAddresses().isEmpty()) {
            return Set.of();
        }
        boolean here = isThisHost();
        return peer.tcpAddresses().stream().filter(socket -> !mayHave(socket.getAddress(), here))
                .collect(Collectors.toSet());
    }

    private boolean mayHave(InetAddress host, boolean here) {
        return host.equals(address) || NetworkDevices.isLocal(host) == here;
    }

    /** Returns an address of the peer's worker without shared memory that the peer cannot have. */
    public UcpPeerAddress withoutForeignMemory(UcpPeerAddress peer) {
        return peer.process().isEmpty() || isThisHost() ? peer : peer.withoutSharedMemory();
    }
}
