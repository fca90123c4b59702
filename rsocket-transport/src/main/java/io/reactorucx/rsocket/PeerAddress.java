package io.reactorucx.rsocket;

import java.io.Serial;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** The address of a peer of which only the name is known, as of one that has connected by worker address. */
final class PeerAddress extends SocketAddress {

    private static final int MAX_PORT = 65535;

    @Serial
    private static final long serialVersionUID = 1L;

    private final String name;

    private PeerAddress(String name) {
        this.name = name;
    }

    /** Returns the socket address that a peer's name tells, without looking up host names. */
    static SocketAddress of(String peer) {
        int colon = peer.lastIndexOf(':');
        if (colon <= 0) {
            return new PeerAddress(peer);
        }
        String host = peer.substring(0, colon);
        int port;
        try {
            port = Integer.parseInt(peer, colon + 1, peer.length(), 10);
        } catch (NumberFormatException e) {
            return new PeerAddress(peer);
        }
        return port < 0 || port > MAX_PORT ? new PeerAddress(peer) : of(host, port);
    }

    private static SocketAddress of(String host, int port) {
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        String literal = bracketed ? host.substring(1, host.length() - 1) : host;
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(literal), port);
        } catch (IllegalArgumentException e) {
            return InetSocketAddress.createUnresolved(literal, port);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PeerAddress address && address.name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }
}
