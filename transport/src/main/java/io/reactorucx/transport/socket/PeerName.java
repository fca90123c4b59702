package io.reactorucx.transport.socket;

import java.net.InetSocketAddress;
import java.util.Objects;

/** The names of peers in logs and errors, and the hosts and ports that an application may name. */
public final class PeerName {

    private static final int MAX_PORT = 65_535;

    private PeerName() {
    }

    /** Refuses a blank host: an empty name would mean this host to the resolver, which a missing setting must not. */
    public static void checkHost(String host) {
        if (Objects.requireNonNull(host, "host").isBlank()) {
            throw new IllegalArgumentException("host \"" + host + "\": must be a name or an address, not blank");
        }
    }

    /** Returns a port, which has to be the least one or above. */
    public static int checkPort(int port, int min) {
        if (port < min || port > MAX_PORT) {
            throw new IllegalArgumentException("port " + port + ": must be in " + min + ".." + MAX_PORT);
        }
        return port;
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
