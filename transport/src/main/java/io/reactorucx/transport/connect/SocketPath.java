package io.reactorucx.transport.connect;

import io.reactorucx.transport.socket.PeerName;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The ends of a control socket that a client opens. The first socket goes to the address that the application has
 * named, from any of this host; if UCX of one side uses another address, the next socket goes there.
 *
 * @param asked what the application has named
 * @param remote where the socket goes
 * @param local from where, null for any address
 * @param source the address of this host that the kernel chooses for sockets to there, null before it is known
 */
record SocketPath(InetSocketAddress asked, InetSocketAddress remote, @Nullable InetAddress local,
        @Nullable InetAddress source) {

    static SocketPath to(InetSocketAddress asked) {
        return new SocketPath(asked, asked, null, null);
    }

    /** Returns the path to the address that UCX of the server uses. */
    SocketPath redirected(InetSocketAddress address) {
        return new SocketPath(asked, address, null, null);
    }

    /** Returns the path from the address that UCX of this side uses. */
    SocketPath from(InetAddress address, InetAddress chosen) {
        return new SocketPath(asked, remote, address, chosen);
    }

    boolean isRedirected() {
        return !remote.equals(asked);
    }

    /** Returns what an error says behind its reason, empty on the path that the application has named. */
    String explanation() {
        String there = isRedirected() ? ": UCX of the server uses the address " + PeerName.of(remote)
                + ", which has to be reached as well" : "";
        InetAddress from = local;
        InetAddress chosen = source;
        return from == null || chosen == null ? there : there + ": UCX of this side uses its address "
                + from.getHostAddress() + ", from which the server has to be reached, and not only from "
                + chosen.getHostAddress();
    }
}
