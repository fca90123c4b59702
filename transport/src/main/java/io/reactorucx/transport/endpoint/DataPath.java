package io.reactorucx.transport.endpoint;

import io.reactorucx.transport.config.NetworkDevices;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * By which of its addresses this host reaches a peer, and which one UCX's tcp uses: always the first one of the network
 * device, of IPv4 if the device has one, and never a link-local one. The handshake and the data have to go between the
 * same two addresses. The filter of UCX's sockets knows a peer by the address of its handshake, and what a peer says of
 * its other addresses proves nothing.
 *
 * <p>Thread: any.
 *
 * @param peer the other end of the handshake's socket
 * @param own this end
 * @param ofUcx the addresses on which UCX of this side listens; none without tcp
 */
public record DataPath(InetAddress peer, InetAddress own, List<InetAddress> ofUcx) {

    /** The path of a handshake's socket; {@code listening} is where UCX of this side listens. */
    public static DataPath of(InetSocketAddress peer, InetSocketAddress own, Collection<InetSocketAddress> listening) {
        return new DataPath(peer.getAddress(), own.getAddress(), listening.stream().map(InetSocketAddress::getAddress)
                .filter(address -> !address.isLoopbackAddress()).distinct().toList());
    }

    /** Returns whether UCX uses this end of the socket, or does not use tcp to the peer. */
    public boolean isOfUcx() {
        return ofUcx.isEmpty() || ofUcx.contains(own) || NetworkDevices.isLocal(peer);
    }

    /**
     * Returns the address by which UCX of this side is reached from the peer; one of the same kind as this end if there
     * are several. Null if UCX uses this end already, or uses no tcp.
     */
    public @Nullable InetAddress instead() {
        if (isOfUcx()) {
            return null;
        }
        NetworkDevices device = NetworkDevices.towards(peer);
        List<InetAddress> near = ofUcx.stream().filter(each -> device.contains(NetworkDevices.ofLocal(each))).toList();
        List<InetAddress> all = near.isEmpty() ? ofUcx : near;
        return all.stream().filter(this::isLikeOwn).findFirst().orElse(all.getFirst());
    }

    /** Returns as {@link #instead()}, or null if that is no end for a socket to this peer. */
    public @Nullable InetAddress otherEnd() {
        InetAddress other = instead();
        return other == null || peer.isLinkLocalAddress() || !isLikeOwn(other) ? null : other;
    }

    private boolean isLikeOwn(InetAddress address) {
        return address.getClass() == own.getClass();
    }

    /**
     * Returns from where UCX before 1.18 connects to the peer: it leaves that to the kernel. Null if that is this end.
     */
    public @Nullable InetAddress source() {
        InetAddress chosen = isLocalOrWithoutTcp() ? null : NetworkDevices.sourceTowards(peer);
        return chosen == null || Objects.equals(chosen, own) || chosen.isLinkLocalAddress() ? null : chosen;
    }

    private boolean isLocalOrWithoutTcp() {
        return ofUcx.isEmpty() || NetworkDevices.isLocal(peer);
    }
}
