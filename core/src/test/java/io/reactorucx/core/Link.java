package io.reactorucx.core;

import java.util.List;

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
    SELF_NONE("self", ErrorMode.NONE);

    private final String transports;
    private final ErrorMode errorMode;

    Link(String transports, ErrorMode errorMode) {
        this.transports = transports;
        this.errorMode = errorMode;
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
