package io.reactorucx.transport.carrier;

import io.reactorucx.core.UcxTransportKind;
import java.util.List;
import java.util.Set;

/** Tells whether transports of an endpoint or of a context lead through shared memory. */
public final class SharedMemoryTransport {

    private static final Set<String> TRANSPORTS = Set.of("posix", "sysv", "xpmem");

    private SharedMemoryTransport() {
    }

    /** Returns whether some transports lead to other hosts. */
    public static boolean isNotTheOnlyOneOf(List<String> transports) {
        return !transports.stream().map(UcxTransportKind::of)
                .allMatch(kind -> kind == UcxTransportKind.SHARED_MEMORY || kind == UcxTransportKind.SELF);
    }

    /** Returns whether one of the transports is shared memory, where all messages to one worker share a queue. */
    static boolean isAmong(List<String> transports) {
        return transports.stream().anyMatch(name -> TRANSPORTS.contains(transport(name)));
    }

    private static String transport(String name) {
        return name.substring(0, Math.max(0, name.indexOf('/')));
    }
}
