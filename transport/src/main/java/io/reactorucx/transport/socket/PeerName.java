package io.reactorucx.transport.socket;

import java.net.InetSocketAddress;

/** The names of peers in logs and errors. */
public final class PeerName {

    private PeerName() {
    }

    /** Returns the numeric address and the port, {@code 10.0.0.7:13337} or {@code [fd00:0:0:0:0:0:0:7]:13337}. */
    public static String of(InetSocketAddress address) {
        return of(address.isUnresolved() ? address.getHostString() : address.getAddress().getHostAddress(),
                address.getPort());
    }

    /** Returns a host and a port; an IPv6 address gets brackets. */
    public static String of(String host, int port) {
        return (host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Returns the name of a peer of which only the address of its worker is known. */
    public static String ofWorker(byte[] workerAddress) {
        return "worker address of " + workerAddress.length + " bytes";
    }
}
