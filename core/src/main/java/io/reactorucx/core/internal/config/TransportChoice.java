package io.reactorucx.core.internal.config;

import io.reactorucx.core.setting.UcxTransportList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The transports and network devices that the settings TLS and NET_DEVICES of a context leave to UCX.
 *
 * @param transports the list of transports as it is set
 * @param devices the list of network devices as it is set
 */
public record TransportChoice(String transports, String devices) {

    static final String TRANSPORTS = "TLS";
    private static final String DEVICES = "NET_DEVICES";
    private static final String ALL = "all";
    private static final String TCP = "tcp";
    /** The transports, and aliases of them, that use no RDMA device. */
    private static final List<String> WITHOUT_RDMA = List.of(TCP, "self", "sm", "shm", "mm", "posix", "sysv", "cma",
            "knem", "xpmem");
    /**
     * Transports that connect two queue pairs, for which the peers first have to exchange the numbers: UCX sends these
     * by a transport that connects to a whole interface, the auxiliary one. UCX's aliases rc, rc_v and rc_x add it.
     */
    private static final Map<String, String> AUXILIARY = new LinkedHashMap<>();
    /** The names and aliases that open an auxiliary transport. */
    private static final Map<String, List<String>> OPENED_BY = Map.of(
            "ud_verbs", List.of("ud_verbs", "ud", "ud_v", "ib", "rc", "rc_v"),
            "ud_mlx5", List.of("ud_mlx5", "ud", "ud_x", "ib", "rc", "rc_x", "dc", "dc_x"));

    static {
        AUXILIARY.put("rc_verbs", "ud_verbs");
        AUXILIARY.put("rc_mlx5", "ud_mlx5");
    }

    public static TransportChoice of(UcxSettings settings) {
        return new TransportChoice(settings.value(TRANSPORTS).orElse(ALL), settings.value(DEVICES).orElse(ALL));
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

    /** Returns the names of ports of RDMA devices that are set, such as {@code mlx5_0:1}. */
    List<String> rdmaPorts() {
        return Arrays.stream(devices.split(",")).filter(name -> name.contains(":")).toList();
    }

    /** Devices of RDMA are named with their port, such as {@code mlx5_0:1}, those of the kernel without. */
    private boolean mayUseDevicesOfKernel() {
        return !Arrays.stream(devices.split(",")).allMatch(name -> name.contains(":"));
    }

    /** Returns whether nothing can carry data, because each transport only helps others to connect. */
    public boolean onlyHelps() {
        UcxTransportList list = list();
        return !list.excluding() && list.names().isEmpty() && !list.helpers().isEmpty();
    }

    /**
     * Returns the auxiliary transports, in the form of TLS, without which a transport that is named cannot connect;
     * empty where none is missing. What lists leave out rather than name has them.
     *
     * @param tcpConnects whether UCX takes its tcp for an auxiliary transport: from 1.16 on
     */
    String missing(boolean tcpConnects) {
        UcxTransportList list = list();
        if (list.excluding() || tcpConnects && list.allows(TCP) && mayUseDevicesOfKernel()) {
            return "";
        }
        return AUXILIARY.entrySet().stream().filter(entry -> list.names().contains(entry.getKey()))
                .map(Map.Entry::getValue).filter(name -> OPENED_BY.getOrDefault(name, List.of()).stream()
                .noneMatch(alias -> list.names().contains(alias) || list.helpers().contains(alias)))
                .map(name -> name + ":aux").collect(Collectors.joining(","));
    }
}
