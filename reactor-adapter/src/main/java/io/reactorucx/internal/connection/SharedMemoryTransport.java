package io.reactorucx.internal.connection;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpEndpoint;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells whether an endpoint, or all of a context, leads through shared memory. */
public final class SharedMemoryTransport {

    private static final Set<String> TRANSPORTS = Set.of("posix", "sysv", "xpmem");

    private static final Set<String> WITHIN_HOST = Set.of("posix", "sysv", "xpmem", "cma", "knem", "self");

    private SharedMemoryTransport() {
    }

    /** Returns whether a context has transports that lead to other hosts. */
    static boolean isNotTheOnlyOneOf(UcpContext context) {
        return !context.transports().stream().allMatch(name -> WITHIN_HOST.contains(transport(name)));
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
