package io.reactorucx.spring.boot.diagnostics;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do about the errors of UCX that keep an application from starting. */
final class UcxFailureAnalyzer extends AbstractFailureAnalyzer<UcxException> {

    private static final String BIND = "bind at";
    private static final String WORKER = "worker_create";
    private static final String SHARED_MEMORY = """
            Give the shared memory more room: 'mount -o remount,size=1g /dev/shm'; --shm-size=1g for docker run; an \
            emptyDir of medium Memory on /dev/shm for Kubernetes. Each engine and loop takes 4 MiB and more: fewer of \
            them (reactor.ucx.engine.count, reactor.ucx.netty.loops) take less.""";
    private static final String OPEN_FILES = "Raise the limit of open files: 'ulimit -n 65536'; LimitNOFILE=65536 in a"
            + " systemd unit; --ulimit nofile=65536 for docker run.";
    private static final String ADDRESS_IN_USE = "End the process that listens there, or choose another port"
            + " (reactor.ucx.server.port, reactor.ucx.rsocket.server.port, spring.rsocket.server.port).";
    private static final String FOREIGN_ADDRESS = "Choose an address of this host (reactor.ucx.server.address,"
            + " reactor.ucx.rsocket.server.address, spring.rsocket.server.address).";
    private static final String TRANSPORTS = "Correct reactor.ucx.transports, reactor.ucx.network-devices, and the"
            + " variables UCX_TLS and UCX_NET_DEVICES of the environment; 'ucx_info -d' lists the names that this host"
            + " has.";
    private static final String DEVICES = "Name the network device of that address in reactor.ucx.network-devices as"
            + " well, or choose another address (reactor.ucx.server.address, reactor.ucx.rsocket.server.address,"
            + " spring.rsocket.server.address, server.address).";
    private static final String SETTINGS = "Correct reactor.ucx.settings, and the variables UCX_* of the environment;"
            + " 'ucx_info -fc' lists them.";

    /** For Spring. */
    UcxFailureAnalyzer() {
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UcxException cause) {
        if (findCause(rootFailure, InvalidConfigurationPropertyValueException.class) != null) {
            // Spring Boot's own report names the property and its origin.
            return null;
        }
        String action = action(cause);
        return action == null ? null : new FailureAnalysis("UCX has failed: " + cause.getMessage(), action, cause);
    }

    private static @Nullable String action(UcxException cause) {
        String message = String.valueOf(cause.getMessage());
        if (cause.operation().startsWith(BIND)) {
            return cause.status() == UcxStatus.BUSY ? ADDRESS_IN_USE
                    : cause.status() == UcxStatus.INVALID_ADDR ? FOREIGN_ADDRESS : openFiles(message);
        }
        if (message.toLowerCase(Locale.ROOT).contains("shared memory") || cause.status() == UcxStatus.SHMEM_SEGMENT) {
            return SHARED_MEMORY;
        }
        if (cause.status() == UcxStatus.UNSUPPORTED && message.contains("network device")) {
            return DEVICES;
        }
        String files = openFiles(message);
        return files != null ? files : switch (cause.status()) {
            case NO_DEVICE, NO_ELEM -> TRANSPORTS;
            case UNSUPPORTED -> cause.operation().equals(WORKER) ? TRANSPORTS : null;
            case INVALID_PARAM -> SETTINGS;
            default -> null;
        };
    }

    private static @Nullable String openFiles(String message) {
        return message.contains("ulimit -n") ? OPEN_FILES : null;
    }
}
