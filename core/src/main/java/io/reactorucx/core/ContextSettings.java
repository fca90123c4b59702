package io.reactorucx.core;

import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.core.internal.NativeText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** UCX's own configuration ({@code ucp_config_t}): read from the environment, changed, used once, and released. */
final class ContextSettings {

    /**
     * From 1.16 on the other mode makes {@code ucp_worker_fence} wait for the peers, without a limit and on the
     * worker's own thread.
     */
    private static final String FENCE_MODE = "FENCE_MODE";

    /**
     * UCX's tcp completes a send without a copy twice when its socket fails, which aborts the process or frees memory
     * too early. No setting of tcp itself keeps it from such sends.
     */
    private static final String ZCOPY_THRESH = "ZCOPY_THRESH";
    /**
     * From 1.16 on single ways to send can be left out. Those that tcp has without a copy are left out, while RDMA
     * keeps reads and writes without one; {@link #ZCOPY_THRESH} would take these, and leave tcp its rendezvous.
     */
    private static final String PROTOCOLS = "PROTOS";
    private static final String PROTOCOLS_WITH_COPY = "^am/egr/*zcopy*,egr/multi/zcopy,egr/single/zcopy"
            + ",stream/multi/zcopy,rndv/am/zcopy";
    private static final String NEW_PROTOCOLS = "PROTO_ENABLE";

    /**
     * Without {@link #ZCOPY_THRESH} UCX's tcp makes a system call for each of its buffers of 8 KiB. They may not be
     * larger than the receiving buffers of the peer.
     */
    private static final String TCP_SEND_BUFFER = "TCP_TX_SEG_SIZE";
    private static final String TCP_RECEIVE_BUFFER = "TCP_RX_SEG_SIZE";
    /**
     * A PUT of UCX's tcp is written to the address that it names, also after a cancel or a close by force has given the
     * memory back to its owner (openucx/ucx#11918). Without PUT a rendezvous comes in messages, which UCX receives only
     * while the operation is in progress.
     */
    private static final String TCP_PUT = "TCP_PUT_ENABLE";
    /**
     * From 1.16 on UCX would send a message of any size at once over tcp without PUT, over shared memory without cma,
     * and over RDMA datagrams: it would fill the memory of a receiver that has not asked for it.
     */
    private static final String RENDEZVOUS_THRESHOLD = "RNDV_THRESH";
    private static final String RENDEZVOUS_BYTES = "8k";
    /** UCX's own default for receiving buffers, which peers have that say nothing. */
    private static final String TCP_BUFFER_BYTES = "64k";
    /**
     * UCX's datagrams compare the address to which a packet of Ethernet came, of which it reads the kind from bits that
     * mlx5 alone fills in: with other devices it drops all packets of IPv4, and ends the process after 30 s.
     */
    private static final String GID_CHECK = "UD_VERBS_ETH_DGID_CHECK";
    private static final String GID_CHECK_OF_BOTH = "UD_ETH_DGID_CHECK";
    /**
     * Soft-RoCE reports the end of a queue pair again with each packet that comes late. UCX up to 1.22 has to get the
     * report once: the second one ends the process, or frees memory twice in a build without assertions.
     */
    private static final String DEVICE_EVENTS = "IB_ASYNC_EVENTS";
    /**
     * Soft-RoCE takes UCX's 7 for "without an end", as InfiniBand does for receivers that are not ready. While a queue
     * pair whose send queue is full sends again, UCX can neither flush nor cancel what is in it.
     */
    private static final String SEND_RETRIES = "RC_VERBS_RETRY_COUNT";
    private static final String SEND_RETRIES_OF_ALL_RC = "RC_RETRY_COUNT";
    private static final String MOST_SEND_RETRIES = "6";

    private ContextSettings() {
    }

    /**
     * The names that {@code ucp_config_modify} really applies, as the loaded library prints them; the others belong to
     * transports.
     */
    private static final class UcpKeys {

        private static volatile @Nullable Set<String> names;

        /** Returns the names. A variable that UCX cannot read fails this call, and not the class for good. */
        static Set<String> names() {
            Set<String> known = names;
            if (known == null) {
                known = NativeEnvironment.with(Map.of(), UcpKeys::read);
                names = known;
            }
            return known;
        }

        private static Set<String> read() {
            int all = ConfigPrint.CONFIG.bit() | ConfigPrint.HIDDEN.bit();
            String text;
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment settings = ContextSettings.read(MemorySegment.NULL, arena);
                try {
                    text = print(settings, MemorySegment.NULL, all);
                } finally {
                    ucx_h.ucp_config_release(settings);
                }
            }
            return text.lines().filter(line -> line.startsWith("UCX_") && line.indexOf('=') > 0)
                    .map(line -> line.substring("UCX_".length(), line.indexOf('=')))
                    .collect(Collectors.toUnmodifiableSet());
        }
    }

    /** Variables from which transports read their settings, which {@code ucp_config_modify} does not know. */
    static Map<String, String> ofTransports(UcpConfig config) {
        return ofTransports(config, RdmaDevices.OF_HOST);
    }

    static Map<String, String> ofTransports(UcpConfig config, RdmaDevices devices) {
        Ucx.ensureAvailable();
        Map<String, String> settings = new TreeMap<>(config.settings());
        settings.keySet().removeAll(UcpKeys.names());
        if (copiesSends(config, devices) && isUnset(TCP_SEND_BUFFER, config) && isUnset(TCP_RECEIVE_BUFFER, config)) {
            settings.put(TCP_SEND_BUFFER, TCP_BUFFER_BYTES);
        }
        if (isUnset(TCP_PUT, config)) {
            settings.put(TCP_PUT, "n");
        }
        if (isUnset(GID_CHECK, config) && isUnset(GID_CHECK_OF_BOTH, config) && devices.hasEthernetBesidesMlx5()) {
            settings.put(GID_CHECK, "n");
        }
        if (isUnset(DEVICE_EVENTS, config) && devices.hasSoftRoce()) {
            settings.put(DEVICE_EVENTS, "n");
        }
        if (isUnset(SEND_RETRIES, config) && isUnset(SEND_RETRIES_OF_ALL_RC, config) && devices.hasSoftRoce()) {
            settings.put(SEND_RETRIES, MOST_SEND_RETRIES);
        }
        Map<String, String> variables = new TreeMap<>();
        settings.forEach((key, value) -> {
            variables.put("UCX_" + key, value);
            if (!config.environmentPrefix().isEmpty()) {
                // With a prefix UCX reads both, and the one with the prefix wins.
                variables.put(config.environmentPrefix() + "_UCX_" + key, value);
            }
        });
        return Map.copyOf(variables);
    }

    /** Returns whether messages are sent with a copy: over tcp, and where no device does better, unless it is set. */
    private static boolean copiesSends(UcpConfig config, RdmaDevices devices) {
        return isUnset(ZCOPY_THRESH, config)
                && (TransportChoice.of(config).tcpCarries() || !devices.mayBeUsed(config));
    }

    /** Returns the settings of UCX itself that have other defaults here, for a version that knows their names. */
    static Map<String, String> defaults(UcpConfig config, RdmaDevices devices) {
        Set<String> known = UcpKeys.names();
        boolean since16 = known.contains(FENCE_MODE);
        Map<String, String> settings = new TreeMap<>();
        if (since16 && isUnset(FENCE_MODE, config)) {
            settings.put(FENCE_MODE, "weak");
        }
        if (since16 && isUnset(RENDEZVOUS_THRESHOLD, config)) {
            settings.put(RENDEZVOUS_THRESHOLD, RENDEZVOUS_BYTES);
        }
        if (copiesSends(config, devices)) {
            boolean byProtocol = since16 && isUnset(PROTOCOLS, config);
            if (byProtocol) {
                settings.put(PROTOCOLS, PROTOCOLS_WITH_COPY);
            }
            if (!byProtocol || !isUnset(NEW_PROTOCOLS, config) || !devices.mayBeUsed(config)) {
                settings.put(ZCOPY_THRESH, "inf");
            }
        }
        settings.keySet().retainAll(known);
        return settings;
    }

    /** Calls a function with the native configuration, to which the settings are applied. */
    static <T> T with(UcpConfig config, Function<MemorySegment, T> use) {
        try (Arena arena = Arena.ofConfined()) {
            String prefix = config.environmentPrefix();
            MemorySegment settings = read(prefix.isEmpty() ? MemorySegment.NULL : arena.allocateFrom(prefix), arena);
            try {
                defaults(config, RdmaDevices.OF_HOST).forEach((key, value) -> modify(settings, key, value, arena));
                config.settings().forEach((key, value) -> {
                    if (UcpKeys.names().contains(key)) {
                        modify(settings, key, value, arena);
                    }
                });
                String missing = missingTransports(config);
                if (!missing.isEmpty()) {
                    modify(settings, TransportChoice.TRANSPORTS, TransportChoice.of(config).transports() + ","
                            + missing, arena);
                }
                return use.apply(settings);
            } finally {
                ucx_h.ucp_config_release(settings);
            }
        }
    }

    /** Returns what is added to the transports, without which one of them cannot connect; empty for nothing. */
    static String missingTransports(UcpConfig config) {
        return TransportChoice.of(config).missing(UcpKeys.names().contains(FENCE_MODE));
    }

    /** Returns whether neither the settings nor the environment say what a setting is. */
    private static boolean isUnset(String key, UcpConfig config) {
        return value(key, config).isEmpty();
    }

    /** Returns a setting: one of the configuration, else of the environment. */
    static Optional<String> value(String key, UcpConfig config) {
        String set = config.settings().get(key);
        return set != null ? Optional.of(set) : environment(key, config);
    }

    /** The value of a setting in the environment, where the one with the configured prefix wins. */
    static Optional<String> environment(String key, UcpConfig config) {
        Optional<String> general = NativeEnvironment.get("UCX_" + key);
        return config.environmentPrefix().isEmpty() ? general
                : NativeEnvironment.get(config.environmentPrefix() + "_UCX_" + key).or(() -> general);
    }

    private static void modify(MemorySegment settings, String key, String value, Arena arena) {
        NativeStatus.check(ucx_h.ucp_config_modify(settings, arena.allocateFrom(key), arena.allocateFrom(value)),
                "setting " + key + "=" + value);
    }

    static String print(UcpConfig config, int flags) {
        return NativeEnvironment.with(ofTransports(config), () -> with(config, settings -> {
            try (Arena arena = Arena.ofConfined()) {
                return print(settings, arena.allocateFrom(config.name()), flags);
            }
        }));
    }

    private static String print(MemorySegment settings, MemorySegment title, int flags) {
        return NativeText.print(stream -> ucx_h.ucp_config_print(settings, stream, title, flags));
    }

    private static MemorySegment read(MemorySegment prefix, Arena arena) {
        MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
        int status = ucx_h.ucp_config_read(prefix, MemorySegment.NULL, pointer);
        if (status < 0) {
            throw FailureCause.explainedBySettings(status, "ucp_config_read", Map.of());
        }
        return pointer.get(ValueLayout.ADDRESS, 0);
    }
}
