package io.reactorucx.internal.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The network devices on which the tcp transport of UCX listens and connects. Peers of the same host need none: they
 * have shared memory.
 *
 * @param names the kernel's names, such as {@code eth0}
 */
public record NetworkDevices(Set<String> names) {

    public static final NetworkDevices NONE = new NetworkDevices(Set.of());
    /** The device for tcp within this host. */
    public static final NetworkDevices LOOPBACK = new NetworkDevices(Set.of("lo"));

    public NetworkDevices {
        names = Collections.unmodifiableSet(new TreeSet<>(names));
    }

    /**
     * Returns the devices that peers of a server use.
     *
     * @param address the address that it binds
     * @param tcpWithinHost whether peers of this host need tcp as well: raw ones, which use it before shared memory
     */
    public static NetworkDevices ofServer(InetSocketAddress address, boolean tcpWithinHost) {
        InetAddress bound = address.getAddress();
        if (bound.isLoopbackAddress()) {
            return tcpWithinHost ? LOOPBACK : NONE;
        }
        return bound.isAnyLocalAddress() ? all(tcpWithinHost) : ofLocal(bound);
    }

    /**
     * Returns the device over which a client reaches a server.
     *
     * @param address the server's address
     * @param tcpWithinHost whether a server of this host needs tcp as well
     */
    public static NetworkDevices ofClient(InetSocketAddress address, boolean tcpWithinHost) {
        InetAddress server = address.getAddress();
        if (server.isLoopbackAddress() || isLocal(server) && !tcpWithinHost) {
            return tcpWithinHost ? LOOPBACK : NONE;
        }
        // Nothing is sent: the kernel only looks up the route.
        try (DatagramSocket route = new DatagramSocket()) {
            route.connect(new InetSocketAddress(server, Math.max(1, address.getPort())));
            return ofLocal(route.getLocalAddress());
        } catch (SocketException | UncheckedIOException e) {
            // No route: connecting fails with the reason.
            return NONE;
        }
    }

    /** Returns whether an address is one of this host. */
    public static boolean isLocal(InetAddress address) {
        try {
            return address.isLoopbackAddress() || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    private static NetworkDevices ofLocal(InetAddress address) {
        try {
            NetworkInterface device = NetworkInterface.getByInetAddress(address);
            return device == null ? NONE : new NetworkDevices(Set.of(nameOf(device)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static NetworkDevices all(boolean withLoopback) {
        try {
            return new NetworkDevices(NetworkInterface.networkInterfaces()
                    .filter(device -> isUp(device) && (withLoopback || !isLoopback(device)))
                    .map(NetworkDevices::nameOf).collect(Collectors.toSet()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** UCX names the device of an alias such as eth0:1. */
    private static String nameOf(NetworkInterface device) {
        NetworkInterface parent = device.getParent();
        return parent == null ? device.getName() : parent.getName();
    }

    private static boolean isUp(NetworkInterface device) {
        try {
            return device.isUp() && device.inetAddresses().findAny().isPresent();
        } catch (SocketException e) {
            return false;
        }
    }

    private static boolean isLoopback(NetworkInterface device) {
        try {
            return device.isLoopback();
        } catch (SocketException e) {
            return false;
        }
    }

    public boolean isEmpty() {
        return names.isEmpty();
    }

    public boolean contains(NetworkDevices others) {
        return names.containsAll(others.names);
    }

    @Override
    public String toString() {
        return isEmpty() ? "none" : String.join(", ", names);
    }
}
