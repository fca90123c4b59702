package io.reactorucx.core;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The ways to connect two workers of one host that every test of the transport contract goes through. */
enum Link {
    TCP_PEER("tcp", ErrorMode.PEER),
    TCP_NONE("tcp", ErrorMode.NONE),
    POSIX_PEER("posix,tcp", ErrorMode.PEER),
    POSIX_NONE("posix,tcp", ErrorMode.NONE),
    SYSV_PEER("sysv,tcp", ErrorMode.PEER),
    SYSV_NONE("sysv,tcp", ErrorMode.NONE),
    /**
     * All that UCX has, as without any setting: shared memory beside tcp, and cma where no failure handling is asked
     * for.
     */
    ALL_PEER("", ErrorMode.PEER),
    ALL_NONE("", ErrorMode.NONE),
    /**
     * One worker that is connected to itself by its own address; UCX offers that only without peer failure handling.
     */
    SELF_NONE("self", ErrorMode.NONE),
    UD_PEER("ud_verbs", ErrorMode.PEER),
    UD_NONE("ud_verbs", ErrorMode.NONE),
    RC_PEER("rc_verbs", ErrorMode.PEER),
    RC_NONE("rc_verbs", ErrorMode.NONE);

    private static final Set<Link> OF_RDMA = EnumSet.of(UD_PEER, UD_NONE, RC_PEER, RC_NONE);

    private final String transports;
    private final ErrorMode errorMode;

    Link(String transports, ErrorMode errorMode) {
        this.transports = transports;
        this.errorMode = errorMode;
    }

    static Stream<Link> detecting() {
        return tested().filter(link -> link.errorMode == ErrorMode.PEER);
    }

    static Stream<Link> undetecting() {
        return tested().filter(link -> link.errorMode == ErrorMode.NONE);
    }

    /** Those that every host has; on a host with an RDMA device, the ones that the property names. */
    static Stream<Link> tested() {
        String names = System.getProperty("io.reactorucx.test.links", "");
        return names.isEmpty() ? EnumSet.complementOf(EnumSet.copyOf(OF_RDMA)).stream()
                : Stream.of(names.split(",")).map(Link::valueOf);
    }

    ErrorMode errorMode() {
        return errorMode;
    }

    boolean isSelf() {
        return this == SELF_NONE;
    }

    /** Returns whether a transport, as {@code transport/device}, is the one that has to carry the data. */
    boolean isCarriedBy(String name) {
        List<String> fastest = transports.isEmpty() ? List.of("posix", "sysv") : List.of(transports.split(",")[0]);
        return fastest.stream().anyMatch(transport -> name.startsWith(transport + "/"));
    }

    boolean isSharedMemory() {
        return isCarriedBy("posix/memory") || isCarriedBy("sysv/memory");
    }

    UcpConfig config() {
        UcpConfig.Builder builder = UcpConfig.builder().name(name());
        if (!transports.isEmpty()) {
            builder.transports(transports.split(","));
        }
        builder.features(UcpFeature.AM, UcpFeature.TAG, UcpFeature.RMA, UcpFeature.AMO32, UcpFeature.AMO64,
                UcpFeature.STREAM);
        // With wake-up and remote memory together UCX finds no way from a worker to itself without tcp.
        return (isSelf() ? builder : builder.feature(UcpFeature.WAKEUP)).build();
    }
}
