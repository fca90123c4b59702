package io.reactorucx.transport.handshake;

import io.reactorucx.core.shm.ProcessIdentity;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who a client is where limits are shared: a peer of another host is its address, a peer of this host its process,
 * since all of them have the same address. A peer of another host may claim any process, so its claim does not count.
 *
 * <p>Thread: any.
 *
 * @param address the address; null for a peer without a control socket; of IPv6 the network of 64 bits, because a host
 *     chooses the rest by itself
 * @param process the process of a peer of this host, {@link ProcessIdentity#UNKNOWN} for all others
 */
public record PeerOrigin(@Nullable InetAddress address, ProcessIdentity process) {

    /** A peer of which nothing is known that it cannot choose by itself: one client, in effect, with all others. */
    public static final PeerOrigin UNKNOWN = new PeerOrigin(null, ProcessIdentity.UNKNOWN);

    private static final InetSocketAddress NOWHERE = new InetSocketAddress(0);
    private static final int IPV6_NETWORK_BYTES = 8;

    public PeerOrigin {
        Objects.requireNonNull(process, "process");
    }

    /**
     * Returns the origin of a peer with a control socket. What it says of its process counts when the kernel says the
     * same; peers of this host of which it does not are one client together, so that a process cannot have the shares
     * of others.
     *
     * @param remote the peer's end of the socket
     * @param local this side's end of the socket
     * @param claimed the process that the peer names in the handshake
     */
    public static PeerOrigin verified(InetSocketAddress remote, InetSocketAddress local, ProcessIdentity claimed) {
        boolean verified = isOfThisHost(remote, local) && claimed.hasSocket(remote, local);
        return of(remote, local, verified ? claimed : ProcessIdentity.UNKNOWN);
    }

    /**
     * Returns the origin of a peer with a control socket.
     *
     * @param remote the peer's end of the socket
     * @param local this side's end of the socket
     * @param process the process of a peer of this host
     */
    public static PeerOrigin of(InetSocketAddress remote, InetSocketAddress local, ProcessIdentity process) {
        return isOfThisHost(remote, local) ? new PeerOrigin(InetAddress.getLoopbackAddress(), process) : of(remote);
    }

    /** Returns the origin of a server that the application has chosen, and of this host the process that it names. */
    public static PeerOrigin ofServer(InetSocketAddress remote, ProcessIdentity process) {
        return of(remote, remote.getAddress().isLoopbackAddress() ? remote : NOWHERE, process);
    }

    /** Returns the origin of a peer of which only the address is known. */
    public static PeerOrigin of(InetSocketAddress remote) {
        return new PeerOrigin(network(address(remote)), ProcessIdentity.UNKNOWN);
    }

    private static boolean isOfThisHost(InetSocketAddress remote, InetSocketAddress local) {
        return address(remote).isLoopbackAddress() || address(remote).equals(local.getAddress());
    }

    private static InetAddress address(InetSocketAddress of) {
        return Objects.requireNonNull(of.getAddress(), "address");
    }

    private static InetAddress network(InetAddress address) {
        if (!(address instanceof Inet6Address) || address.isLinkLocalAddress()) {
            return address;
        }
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, IPV6_NETWORK_BYTES, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are an address", e);
        }
    }

    /** Returns a short name for logs and errors. */
    @Override
    public String toString() {
        if (address == null) {
            return "a peer without an address";
        }
        String host = address.getHostAddress();
        return process.equals(ProcessIdentity.UNKNOWN) ? host : "process " + process.id() + " of " + host;
    }
}
