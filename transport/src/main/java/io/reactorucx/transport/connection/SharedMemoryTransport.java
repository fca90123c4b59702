package io.reactorucx.transport.connection;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxTransportKind;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells whether an endpoint, or all of a context, leads through shared memory. */
public final class SharedMemoryTransport {

    private static final Set<String> TRANSPORTS = Set.of("posix", "sysv", "xpmem");

    private SharedMemoryTransport() {
    }

    /** Returns whether some transports lead to other hosts. */
    static boolean isNotTheOnlyOneOf(List<String> transports) {
        return !transports.stream().map(UcxTransportKind::of)
                .allMatch(kind -> kind == UcxTransportKind.SHARED_MEMORY || kind == UcxTransportKind.SELF);
    }

    /** Returns whether messages of an endpoint go through shared memory, where all to one worker share a queue. */
    public static boolean carries(@Nullable UcpEndpoint endpoint) {
        return endpoint != null && !endpoint.isClosed() && endpoint.failure() == 0
                && endpoint.transports().stream().anyMatch(name -> TRANSPORTS.contains(transport(name)));
    }

    private static String transport(String name) {
        return name.substring(0, Math.max(0, name.indexOf('/')));
    }
}
