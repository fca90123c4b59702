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
    /** One worker that is connected to itself by its own address; UCX offers that only without peer failure handling. */
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

    /** The transport that has to carry the data. */
    String fastest() {
        return List.of(transports.split(",")).getFirst();
    }

    UcpConfig config() {
        UcpConfig.Builder builder = UcpConfig.builder().name(name()).transports(transports.split(","));
        builder.features(UcpFeature.AM, UcpFeature.TAG, UcpFeature.RMA, UcpFeature.AMO32, UcpFeature.AMO64, UcpFeature.STREAM);
        // With wake-up and remote memory together UCX finds no way from a worker to itself without tcp.
        return (isSelf() ? builder : builder.feature(UcpFeature.WAKEUP)).build();
    }
}
