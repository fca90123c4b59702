package io.reactorucx.core;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the settings TLS and NET_DEVICES of a context leave to UCX.
 *
 * @param transports the list of transports as it is set
 * @param devices the list of network devices as it is set
 */
record TransportChoice(String transports, String devices) {

    static final String TRANSPORTS = "TLS";
    private static final String DEVICES = "NET_DEVICES";
    private static final String ALL = "all";
    private static final String TCP = "tcp";
    /** The transports, and aliases of them, that use no RDMA device. */
    private static final List<String> WITHOUT_RDMA = List.of(TCP, "self", "sm", "shm", "mm", "posix", "sysv", "cma",
            "knem", "xpmem");
    static TransportChoice of(UcpConfig config) {
        return new TransportChoice(ContextSettings.value(TRANSPORTS, config).orElse(ALL),
                ContextSettings.value(DEVICES, config).orElse(ALL));
    }

    private UcxTransportList list() {
        return UcxTransportList.of(transports);
    }

    /** Returns whether messages may go over UCX's tcp. */
    boolean tcpCarries() {
        return list().carries(TCP) && mayUseDevicesOfKernel();
    }

    /** Returns whether a transport of RDMA is among those that are set, be it to help others. */
    boolean mayUseRdma() {
        UcxTransportList list = list();
        return list.excluding() || list.isAll() || Stream.concat(list.names().stream(), list.helpers().stream())
                .anyMatch(name -> !WITHOUT_RDMA.contains(name));
    }

    /** Devices of RDMA are named with their port, such as {@code mlx5_0:1}, those of the kernel without. */
    private boolean mayUseDevicesOfKernel() {
        return !Arrays.stream(devices.split(",")).allMatch(name -> name.contains(":"));
    }
}
