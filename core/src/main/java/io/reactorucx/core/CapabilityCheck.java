package io.reactorucx.core;

import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.internal.config.TransportChoice;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks what a context, its settings and an error mode allow, beyond what the library can do. */
final class CapabilityCheck {

    /** For example {@code #      resource 2  :  md 1  dev 2  flags -- posix/memory}. */
    private static final Pattern RESOURCE = Pattern.compile("(?m)^#\\s+resource \\d+ +:.*\\s(\\S+/\\S+)\\s*$");
    private static final List<String> SHARED_MEMORY = List.of("posix", "sysv", "xpmem");
    private static final List<String> CONNECTION_MANAGERS = List.of("tcp", "rc_", "dc_", "ud_");

    /** Transports that copy memory between processes or devices, and carry no messages. */
    private static final Set<String> COPYING = Set.of("cma", "knem", "cuda_copy", "cuda_ipc", "gdr_copy", "rocm_copy",
            "rocm_ipc", "ze_copy", "ze_ipc");

    /** The values that UCX takes for yes, in upper or lower case. */
    private static final Set<String> YES = Set.of("y", "yes", "on", "1");

    private CapabilityCheck() {
    }

    /** Transports and devices, {@code posix/memory}, as a context's description names them. */
    static List<String> transports(String info) {
        return RESOURCE.matcher(info).results().map(match -> match.group(1)).distinct().toList();
    }

    /** Without a transport that carries active messages UCX ends the process when it makes a worker for them. */
    static void requireMessages(UcpContext context, String operation) {
        if (!context.has(UcpFeature.AM)) {
            return;
        }
        List<String> names = context.transports();
        if (!names.isEmpty() && names.stream().allMatch(name -> COPYING.contains(name.split("/", 2)[0]))) {
            throw new UcxUnsupportedException(operation, "none of the transports " + names
                    + " carries messages, add shm or tcp");
        }
    }

    static UcpSupport of(UcpContext context, UcpCapability capability, ErrorMode errorMode) {
        UcpSupport library = capability.inLibrary();
        if (!library.isSupported()) {
            return library;
        }
        UcpFeature feature = capability.feature();
        if (feature != null && !context.has(feature)) {
            return UcpSupport.missing(UcpContext.missing(feature));
        }
        return switch (capability) {
            case ENDPOINT_FORCED_CLOSE -> errorMode == ErrorMode.PEER ? UcpSupport.SUPPORTED
                    : UcpSupport.missing("UCX closes by force only with error mode PEER, this is " + errorMode);
            case ATOMICS_32, ATOMICS_64 -> atomics(context, errorMode);
            case DEVICE_GETS -> deviceGets(context, errorMode);
            case SHARED_MEMORY, REMOTE_POINTERS -> sharedMemory(context, errorMode);
            case SOCKET_ADDRESSES -> connectionManager(context);
            case SOCKET_ADDRESSES_IPV6 -> context.tcpUsesOnlyIpv6() ? connectionManager(context)
                    : UcpSupport.missing("UCX's tcp transport corrupts memory there, unless the context is made with"
                            + " TCP_AF_PRIO=inet6");
            case MULTI_THREADED_WORKERS -> context.config().workersShared() ? UcpSupport.SUPPORTED
                    : UcpSupport.missing("the context was made for the workers of one thread, see"
                            + " UcpConfig.workersShared()");
            default -> UcpSupport.SUPPORTED;
        };
    }

    private static UcpSupport atomics(UcpContext context, ErrorMode errorMode) {
        return errorMode == ErrorMode.PEER && hasNewProtocols(context)
                ? UcpSupport.missing("UCX " + Ucx.version() + " has atomic operations only with error mode NONE, this"
                        + " is PEER")
                : UcpSupport.SUPPORTED;
    }

    /** UCX 1.16 to 1.18 ask the peer's processor where they have to detect that it fails. */
    private static UcpSupport deviceGets(UcpContext context, ErrorMode errorMode) {
        return errorMode == ErrorMode.PEER && hasNewProtocols(context) && !Ucx.version().isAtLeast(1, 19)
                ? UcpSupport.missing("UCX " + Ucx.version() + " has gets by the device only with error mode NONE, this"
                        + " is PEER; UCX 1.19 has them with both")
                : UcpSupport.SUPPORTED;
    }

    /** The default from 1.16 on. */
    private static boolean hasNewProtocols(UcpContext context) {
        return Ucx.version().isAtLeast(1, 16) && !context.setting("PROTO_ENABLE").matches("(?i)n|no|off|0");
    }

    private static UcpSupport sharedMemory(UcpContext context, ErrorMode errorMode) {
        List<String> names = context.transports();
        boolean found = false;
        for (String transport : SHARED_MEMORY) {
            if (names.stream().anyMatch(name -> name.startsWith(transport + "/"))) {
                found = true;
                if (errorMode == ErrorMode.NONE
                        || isYes(context.setting(transport.toUpperCase(Locale.ROOT) + "_ERROR_HANDLING"))) {
                    return UcpSupport.SUPPORTED;
                }
            }
        }
        return UcpSupport.missing(found
                ? "with error mode PEER UCX uses shared memory only with POSIX_ERROR_HANDLING=y or"
                        + " SYSV_ERROR_HANDLING=y"
                : "none of the transports " + names + " is shared memory");
    }

    /**
     * Refuses the newer protocols before they are the default: with transports of two kinds they write past an array on
     * the stack, which ends the process.
     */
    static void requireSafeProtocols(UcpConfig config) {
        String key = "PROTO_ENABLE";
        String value = config.effective().value(key).orElse("");
        if (isYes(value) && !Ucx.version().isAtLeast(1, 16)) {
            throw new UcxUnsupportedException("ucp_init", key + "=" + value + " with UCX " + Ucx.version()
                    + ", which overwrites its stack then and ends the process: leave the setting and the variable UCX_"
                    + key + " out, or use UCX 1.16");
        }
    }

    /** Refuses transports that only help others to connect: UCX would say that it has none. */
    static void requireData(UcpConfig config) {
        TransportChoice choice = TransportChoice.of(config.effective());
        if (choice.onlyHelps()) {
            throw new UcxUnsupportedException("ucp_init", "each of the transports " + choice.transports()
                    + " only helps others to connect (:aux): name one that carries data as well");
        }
    }

    private static boolean isYes(String value) {
        return YES.contains(value.toLowerCase(Locale.ROOT));
    }

    private static UcpSupport connectionManager(UcpContext context) {
        List<String> names = context.transports();
        return names.stream().anyMatch(name -> CONNECTION_MANAGERS.stream().anyMatch(name::startsWith))
                ? UcpSupport.SUPPORTED
                : UcpSupport.missing("none of the transports " + names + " has a connection manager, add tcp");
    }
}
