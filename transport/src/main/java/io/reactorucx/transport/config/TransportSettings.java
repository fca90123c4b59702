package io.reactorucx.transport.config;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.setting.UcxTransportList;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The settings of UCX that decide about its tcp transport, which listens on each network device that it is given: TLS
 * and NET_DEVICES. What the application or the environment sets is left as it is.
 *
 * @param base the application's configuration
 */
public record TransportSettings(UcpConfig base) {

    private static final String TRANSPORTS = "TLS";
    private static final String DEVICES = "NET_DEVICES";
    private static final String TCP = "tcp";
    private static final Path RDMA_DEVICES = Path.of("/sys/class/infiniband");

    /** Returns whether the network devices follow the addresses of servers and clients. */
    public boolean followAddresses() {
        return setting(DEVICES).isEmpty() && (setting(TRANSPORTS).isEmpty() || wantsTcp());
    }

    /** Returns whether UCX chooses among all transports, or all but some: none is named that has to carry the data. */
    public boolean leaveChoice() {
        UcxTransportList list = UcxTransportList.of(setting(TRANSPORTS));
        return setting(TRANSPORTS).isEmpty() || list.isAll() || list.excluding();
    }

    /** Returns the configuration with which UCX uses tcp on some network devices only. */
    public UcpConfig on(NetworkDevices devices) {
        if (!followAddresses()) {
            return base;
        }
        Map<String, String> settings = new TreeMap<>(base.settings());
        if (devices.isEmpty()) {
            settings.put(TRANSPORTS, transportsWithoutTcp());
        } else {
            TreeSet<String> names = new TreeSet<>(devices.names());
            if (devices.areOfKernel()) {
                names.addAll(rdmaDevices());
            }
            settings.put(DEVICES, String.join(",", names));
        }
        return new UcpConfig(base.name(), base.features(), base.estimatedEndpoints(), settings,
                base.estimatedProcessesPerNode(), base.workersShared(), base.tagSenderMask(),
                base.environmentPrefix());
    }

    /**
     * Returns whether the transports are set, and UCX opens tcp with them, be it to help others to connect: then it
     * listens for peers of this host, too.
     */
    public boolean wantsTcp() {
        String transports = setting(TRANSPORTS);
        if (transports.isEmpty()) {
            return false;
        }
        return UcxTransportList.of(transports).allows(TCP);
    }

    /** Returns the transports that are set, without tcp. */
    private String transportsWithoutTcp() {
        String set = setting(TRANSPORTS);
        UcxTransportList list = UcxTransportList.of(set);
        if (set.isEmpty() || list.excluding()) {
            return set.isEmpty() ? "^" + TCP : set + "," + TCP;
        }
        String others = list.isAll() ? "^" + TCP : Arrays.stream(set.split(","))
                .filter(name -> !UcxTransportList.of(name).allows(TCP)).collect(Collectors.joining(","));
        if (others.isBlank()) {
            throw new UcxUnsupportedException("ucp_init", "the transports " + set + " are tcp alone, and no network"
                    + " device may be used: name a device, or other transports");
        }
        return others;
    }

    private String setting(String key) {
        String own = base.settings().get(key);
        String inherited = System.getenv("UCX_" + key);
        return own != null ? own : inherited != null ? inherited : "";
    }

    /** NET_DEVICES is a list of all devices, so those of RDMA have to be in it. */
    private static List<String> rdmaDevices() {
        return names(RDMA_DEVICES).flatMap(device -> names(RDMA_DEVICES.resolve(device).resolve("ports"))
                .map(port -> device + ":" + port)).toList();
    }

    private static Stream<String> names(Path directory) {
        String[] names = directory.toFile().list();
        return names == null ? Stream.empty() : Arrays.stream(names);
    }
}
