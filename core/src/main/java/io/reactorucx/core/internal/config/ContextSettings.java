package io.reactorucx.core.internal.config;

import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.NativeText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** UCX's own configuration ({@code ucp_config_t}): read from the environment, changed, used once, and released. */
public final class ContextSettings {

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

        /** {@code UCS_CONFIG_PRINT_CONFIG}, and {@code UCS_CONFIG_PRINT_HIDDEN}. */
        private static final int NAMES_AND_VALUES = 1 | 1 << 3;
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
            String text;
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment settings = ContextSettings.read(MemorySegment.NULL, arena);
                try {
                    text = print(settings, MemorySegment.NULL, NAMES_AND_VALUES);
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
    public static Map<String, String> ofTransports(UcxSettings settings) {
        return ofTransports(settings, RdmaDevices.OF_HOST);
    }

    static Map<String, String> ofTransports(UcxSettings settings, RdmaDevices devices) {
        Map<String, String> chosen = new TreeMap<>(settings.given());
        chosen.keySet().removeAll(UcpKeys.names());
        if (copiesSends(settings, devices) && settings.isUnset(TCP_SEND_BUFFER)
                && settings.isUnset(TCP_RECEIVE_BUFFER)) {
            chosen.put(TCP_SEND_BUFFER, TCP_BUFFER_BYTES);
        }
        if (settings.isUnset(TCP_PUT)) {
            chosen.put(TCP_PUT, "n");
        }
        if (settings.isUnset(GID_CHECK) && settings.isUnset(GID_CHECK_OF_BOTH) && devices.hasEthernetBesidesMlx5()) {
            chosen.put(GID_CHECK, "n");
        }
        if (settings.isUnset(DEVICE_EVENTS) && devices.hasSoftRoce()) {
            chosen.put(DEVICE_EVENTS, "n");
        }
        if (settings.isUnset(SEND_RETRIES) && settings.isUnset(SEND_RETRIES_OF_ALL_RC) && devices.hasSoftRoce()) {
            chosen.put(SEND_RETRIES, MOST_SEND_RETRIES);
        }
        Map<String, String> variables = new TreeMap<>();
        chosen.forEach((key, value) -> settings.addVariables(key, value, variables));
        return Map.copyOf(variables);
    }

    /** Returns whether messages are sent with a copy: over tcp, and where no device does better, unless it is set. */
    private static boolean copiesSends(UcxSettings settings, RdmaDevices devices) {
        return settings.isUnset(ZCOPY_THRESH)
                && (TransportChoice.of(settings).tcpCarries() || !devices.mayBeUsed(settings));
    }

    /** Returns the settings of UCX itself that have other defaults here, for a version that knows their names. */
    static Map<String, String> defaults(UcxSettings settings, RdmaDevices devices) {
        Set<String> known = UcpKeys.names();
        boolean since16 = known.contains(FENCE_MODE);
        Map<String, String> chosen = new TreeMap<>();
        if (since16 && settings.isUnset(FENCE_MODE)) {
            chosen.put(FENCE_MODE, "weak");
        }
        if (since16 && settings.isUnset(RENDEZVOUS_THRESHOLD)) {
            chosen.put(RENDEZVOUS_THRESHOLD, RENDEZVOUS_BYTES);
        }
        if (copiesSends(settings, devices)) {
            boolean byProtocol = since16 && settings.isUnset(PROTOCOLS);
            if (byProtocol) {
                chosen.put(PROTOCOLS, PROTOCOLS_WITH_COPY);
            }
            if (!byProtocol || !settings.isUnset(NEW_PROTOCOLS) || !devices.mayBeUsed(settings)) {
                chosen.put(ZCOPY_THRESH, "inf");
            }
        }
        chosen.keySet().retainAll(known);
        return chosen;
    }

    /** Calls a function with the native configuration, to which the settings are applied. */
    public static <T> T with(UcxSettings settings, Function<MemorySegment, T> use) {
        try (Arena arena = Arena.ofConfined()) {
            String prefix = settings.environmentPrefix();
            MemorySegment config = read(prefix.isEmpty() ? MemorySegment.NULL : arena.allocateFrom(prefix), arena);
            try {
                defaults(settings, RdmaDevices.OF_HOST).forEach((key, value) -> modify(config, key, value, arena));
                settings.given().forEach((key, value) -> {
                    if (UcpKeys.names().contains(key)) {
                        modify(config, key, value, arena);
                    }
                });
                String missing = missingTransports(settings);
                if (!missing.isEmpty()) {
                    modify(config, TransportChoice.TRANSPORTS, TransportChoice.of(settings).transports() + ","
                            + missing, arena);
                }
                return use.apply(config);
            } finally {
                ucx_h.ucp_config_release(config);
            }
        }
    }

    /** Returns what is added to the transports, without which one of them cannot connect; empty for nothing. */
    public static String missingTransports(UcxSettings settings) {
        return TransportChoice.of(settings).missing(UcpKeys.names().contains(FENCE_MODE));
    }

    private static void modify(MemorySegment config, String key, String value, Arena arena) {
        NativeStatus.check(ucx_h.ucp_config_modify(config, arena.allocateFrom(key), arena.allocateFrom(value)),
                "setting " + key + "=" + value);
    }

    /** Returns what UCX would use, under a title. */
    public static String print(UcxSettings settings, String title, int flags) {
        return NativeEnvironment.with(ofTransports(settings), () -> with(settings, config -> {
            try (Arena arena = Arena.ofConfined()) {
                return print(config, arena.allocateFrom(title), flags);
            }
        }));
    }

    private static String print(MemorySegment config, MemorySegment title, int flags) {
        return NativeText.print(stream -> ucx_h.ucp_config_print(config, stream, title, flags));
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
