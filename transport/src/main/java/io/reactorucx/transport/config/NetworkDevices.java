package io.reactorucx.transport.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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

    private static final Path RDMA_DEVICES = Path.of("/sys/class/infiniband");
    /** Addresses of documents, which no host has: only their route is asked for. */
    private static final List<InetAddress> FAR = List.of(InetAddress.ofLiteral("192.0.2.1"),
            InetAddress.ofLiteral("2001:db8::1"));

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
        return towards(server);
    }

    /** Returns the device of the route to an address, none without a route: then connecting fails with the reason. */
    public static NetworkDevices towards(InetAddress address) {
        InetAddress source = sourceTowards(address);
        return source == null ? NONE : ofLocal(source);
    }

    /** Returns the address of this host that the kernel chooses for sockets to an address, null without a route. */
    public static @Nullable InetAddress sourceTowards(InetAddress address) {
        // Nothing is sent: the kernel only looks up the route.
        try (DatagramSocket route = new DatagramSocket()) {
            route.connect(new InetSocketAddress(address, 1));
            return route.getLocalAddress();
        } catch (SocketException | UncheckedIOException e) {
            return null;
        }
    }

    /** Returns all addresses of this host; the most that are ever needed, where there are very many. */
    public static Set<InetAddress> addressesOfHost(int max) {
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).limit(max)
                    .collect(Collectors.toSet());
        } catch (SocketException e) {
            return Set.of();
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

    /** Returns the device of an address of this host, none if it has no such address. */
    public static NetworkDevices ofLocal(InetAddress address) {
        try {
            NetworkInterface device = NetworkInterface.getByInetAddress(address);
            if (device != null && device.isLoopback() && !address.isLoopbackAddress()) {
                // An address that this host has on all of its devices.
                return all(false);
            }
            return device == null ? NONE : new NetworkDevices(Set.of(nameOf(device)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the device by which most hosts are reached: that of the default route, or the only one. None if there are
     * several and no such route.
     */
    static NetworkDevices ofMost(boolean withLoopback) {
        NetworkDevices all = all(withLoopback);
        for (InetAddress far : FAR) {
            NetworkDevices device = towards(far);
            if (!device.isEmpty() && all.contains(device)) {
                return device;
            }
        }
        return all(false).names.size() > 1 ? NONE : all;
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

    /**
     * Returns whether all are names of the kernel's devices, which have addresses. UCX takes those of RDMA as well, and
     * words for all devices.
     */
    public boolean areOfKernel() {
        return names.stream().noneMatch(name -> name.contains(":") || name.startsWith("^") || name.equals("all")
                || Files.exists(RDMA_DEVICES.resolve(name)));
    }

    public boolean contains(NetworkDevices others) {
        return names.containsAll(others.names);
    }

    @Override
    public String toString() {
        return isEmpty() ? "none" : String.join(", ", names);
    }
}
