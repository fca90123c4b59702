package io.reactorucx.transport.config;

import io.reactorucx.core.error.UcxUnsupportedException;
import java.net.InetSocketAddress;
import java.util.Collections;

/**
 * The network devices that a server or a client needs for its address.
 *
 * @param operation what the address is for, {@code bind} or {@code connect}
 * @param address what is bound or connected to
 * @param devices the devices that UCX needs for it
 */
public record DeviceNeed(String operation, InetSocketAddress address, NetworkDevices devices) {

    /**
     * Returns what a server needs.
     *
     * @param address the address that it binds
     * @param tcpWithinHost whether peers of this host need tcp as well: raw ones, which use it before shared memory
     */
    public static DeviceNeed ofServer(InetSocketAddress address, boolean tcpWithinHost) {
        return new DeviceNeed("bind", address, NetworkDevices.ofServer(address, tcpWithinHost));
    }

    /**
     * Returns what a server needs at first that binds all addresses of this host: clients that come by other devices
     * have needs of their own.
     */
    public static DeviceNeed ofServerOfAll(InetSocketAddress address, boolean tcpWithinHost) {
        return new DeviceNeed("bind", address, NetworkDevices.ofMost(tcpWithinHost));
    }

    /**
     * Returns what a server needs for a client.
     *
     * @param local the address by which the client has come
     * @param client the address of the client
     * @param tcpWithinHost whether a client of this host needs tcp as well
     */
    public static DeviceNeed ofAccepted(InetSocketAddress local, InetSocketAddress client, boolean tcpWithinHost) {
        return NetworkDevices.isLocal(client.getAddress())
                ? new DeviceNeed("bind", local, tcpWithinHost ? NetworkDevices.LOOPBACK : NetworkDevices.NONE)
                : ofServer(local, tcpWithinHost);
    }

    /**
     * Returns what a client needs.
     *
     * @param address the server's address
     * @param tcpWithinHost whether a server of this host needs tcp as well
     */
    public static DeviceNeed ofClient(InetSocketAddress address, boolean tcpWithinHost) {
        return new DeviceNeed("connect", address, NetworkDevices.ofClient(address, tcpWithinHost));
    }

    /** Returns the need in words. */
    public String why() {
        return shown() + (operation.equals("bind") ? " is an address of the network device " : " is reached over the"
                + " network device ") + devices;
    }

    private String shown() {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /**
     * Throws when UCX cannot serve the address with the devices that the application has named. Peers of this host need
     * any device, or none over shared memory; all devices at once are those that were named. Names that are no network
     * devices of the kernel, as those of RDMA, say nothing about addresses.
     */
    public void requireNamed(NetworkDevices named) {
        boolean ofHost = NetworkDevices.isLocal(address.getAddress()) && operation.equals("connect")
                || address.getAddress().isLoopbackAddress();
        if (devices.isEmpty() || !named.areOfKernel() || address.getAddress().isAnyLocalAddress()
                || !Collections.disjoint(named.names(), devices.names()) || ofHost && !named.isEmpty()) {
            return;
        }
        throw new UcxUnsupportedException(operation, why() + ", and the application has named the devices "
                + named + " alone (UcxResourcesBuilder.networkDevices, reactor.ucx.network-devices): name that device"
                + " as well, or use another address");
    }
}
