package io.reactorucx.spring.boot;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.setting.UcxTransportList;
import io.reactorucx.uct.UctComponent;
import io.reactorucx.uct.UctDeviceType;
import io.reactorucx.uct.UctMemoryDomain;
import io.reactorucx.uct.UctResource;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Tries once for each context whether UCX can be used with the transports and network devices of the properties: it
 * makes a worker and closes it. Loops would find out with their first channel only.
 *
 * <p><b>Threading:</b> any. <b>Ownership:</b> it keeps nothing of UCX. <b>Errors:</b> none; {@link #cause()} returns
 * them.
 */
public final class UcxProbe {

    private static final Logger LOG = LoggerFactory.getLogger(UcxProbe.class);
    private static final String TCP = "tcp";
    private static final String WORKER = "worker_create";
    /** UCX's names for several transports. A name that is missing here leads to a warning, and to nothing else. */
    private static final Set<String> GROUPS = Set.of("all", "sm", "shm", "mm", "ib", "ud", "ud_v", "ud_x", "rc", "rc_v",
            "rc_x", "dc", "dc_x", "cuda", "rocm", "ze", "ugni", "gga");
    /** Transports that connect a worker with itself, or copy what another one has offered. */
    private static final Set<String> NOT_CONNECTING = Set.of("self", "cma", "knem");
    private static final String TRANSPORTS = "reactor.ucx.transports";
    private static final String DEVICES = "reactor.ucx.network-devices";

    private final UcxProperties properties;
    private boolean done;
    private @Nullable Throwable cause;

    UcxProbe(UcxProperties properties) {
        this.properties = properties;
    }

    /** {@return why UCX cannot be used, null if it can; the first call tries it} */
    public synchronized @Nullable Throwable cause() {
        if (!done) {
            cause = find();
            done = true;
        }
        return cause;
    }

    /** {@return what {@link #cause()} has returned, null before its first call} */
    public synchronized @Nullable Throwable knownCause() {
        return cause;
    }

    private @Nullable Throwable find() {
        Throwable missing = Ucx.unavailabilityCause().orElse(null);
        if (missing != null) {
            return missing;
        }
        try {
            checkDevices();
            makeWorker();
            warnOfTransports();
            return null;
        } catch (InvalidConfigurationPropertyValueException e) {
            return e;
        } catch (UcxException e) {
            return properties.transports().isEmpty() || !isOfTransports(e) ? e
                    : new InvalidConfigurationPropertyValueException(TRANSPORTS,
                            String.join(",", properties.transports()), (e.status() == UcxStatus.UNSUPPORTED
                                    ? e.getMessage() : "this host has none that can be used")
                                    + ". The transports of this host are " + found(UctResource::transport), e);
        }
    }

    private static boolean isOfTransports(UcxException error) {
        return switch (error.status()) {
            case NO_DEVICE, NO_ELEM, UNSUPPORTED -> true;
            default -> false;
        };
    }

    /** UCX takes shared memory where none of the network devices exists, and says so in its own log only. */
    private void checkDevices() {
        List<String> named = named();
        if (named.isEmpty() || named.contains("all") || named.getFirst().startsWith("^")
                || !wantsTcp(setting("TLS", String.join(",", properties.transports())))) {
            return;
        }
        List<String> missing = named.stream().filter(name -> !isInterface(name)).collect(
                Collectors.toCollection(ArrayList::new));
        if (missing.isEmpty()) {
            return;
        }
        List<String> found = found(resource -> resource.type() == UctDeviceType.NET ? resource.device() : "");
        missing.removeAll(found);
        if (missing.size() == named.size()) {
            throw new InvalidConfigurationPropertyValueException(DEVICES, String.join(",", named),
                    "this host has none of them. Its network devices are " + found);
        }
        if (!missing.isEmpty()) {
            LOG.warn("{} names {}, which this host does not have; its network devices are {}", DEVICES, missing, found);
        }
    }

    private static boolean isInterface(String name) {
        try {
            return NetworkInterface.getByName(name) != null;
        } catch (SocketException e) {
            LOG.debug("the interface {} cannot be looked up", name, e);
            return false;
        }
    }

    /** UCX says nothing of a name that it does not know, as long as another one is left. */
    private void warnOfTransports() {
        List<String> named = properties.transports();
        if (named.size() < 2 || named.getFirst().startsWith("^")) {
            return;
        }
        List<String> unknown = unknown(named);
        List<String> found = found(UctResource::transport);
        unknown.removeAll(found);
        if (!unknown.isEmpty()) {
            LOG.warn("{} names {}, which this host does not have; its transports are {}", TRANSPORTS, unknown, found);
        }
    }

    /** Returns the names that are none of UCX's groups, as UCX itself writes them. */
    static List<String> unknown(List<String> named) {
        UcxTransportList list = UcxTransportList.of(String.join(",", named));
        return Stream.concat(list.names().stream(), list.helpers().stream()).filter(name -> !GROUPS.contains(name))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private void makeWorker() {
        UcpConfig.Builder config = UcpConfig.builder().name("probe")
                .features(UcpFeature.AM, UcpFeature.TAG, UcpFeature.WAKEUP);
        String transports = setting("TLS", String.join(",", properties.transports()));
        boolean chosen = !transports.isEmpty();
        String devices = setting("NET_DEVICES", wantsTcp(transports) ? String.join(",", named()) : "");
        if (devices.isEmpty() && transports.isEmpty()) {
            // With a worker UCX listens on each device: the probe does so within this host at most.
            transports = "^" + TCP;
        } else if (devices.isEmpty() && wantsTcp(transports)) {
            devices = "lo";
        }
        if (!transports.isEmpty()) {
            config.setting("TLS", transports);
        }
        if (!devices.isEmpty()) {
            config.setting("NET_DEVICES", devices);
        }
        try (UcpContext context = UcpContext.create(config.build())) {
            if (chosen) {
                requirePeers(UcxTransportList.of(transports), context.transports());
            }
            context.createWorker(UcpWorkerConfig.of("probe")).close();
        }
    }

    /** UCX takes such transports, and each connect fails later. */
    static void requirePeers(UcxTransportList list, List<String> names) {
        if (!names.isEmpty() && names.stream().map(name -> name.split("/", 2)[0]).allMatch(name ->
                NOT_CONNECTING.contains(name) || list.helpers().contains(name) && !list.carries(name))) {
            throw new UcxUnsupportedException(WORKER, "nothing can connect by " + names
                    + " alone; add shm for peers of this host, tcp for all");
        }
    }

    /** Returns a setting of UCX: of its own property, else of the settings of resources, else of the environment. */
    private String setting(String key, String own) {
        String inherited = System.getenv("UCX_" + key);
        return !own.isEmpty() ? own : properties.settings().getOrDefault(key, inherited == null ? "" : inherited);
    }

    private List<String> named() {
        List<String> named = properties.networkDevices();
        return named == null ? List.of() : named;
    }

    /** Returns whether UCX may use tcp: network devices that are named are of tcp, and RDMA has others. */
    private static boolean wantsTcp(String transports) {
        return transports.isEmpty() || UcxTransportList.of(transports).allows(TCP);
    }

    /** Returns what the components of UCX find on this host, without repetitions and empty names. */
    private static List<String> found(Function<UctResource, String> name) {
        return UctComponent.all().stream()
                .flatMap(component -> component.memoryDomainNames().stream()
                        .flatMap(domain -> resources(component, domain)))
                .map(name).filter(each -> !each.isEmpty()).distinct().sorted().toList();
    }

    private static Stream<UctResource> resources(UctComponent component, String domain) {
        try (UctMemoryDomain opened = component.open(domain)) {
            return opened.resources().stream();
        } catch (UcxException e) {
            LOG.debug("the memory domain {} cannot be opened", domain, e);
            return Stream.empty();
        }
    }
}
