package io.reactorucx.internal.connection;

import io.reactorucx.core.UcpEndpoint;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells whether an endpoint leads through shared memory. */
public final class SharedMemoryTransport {

    private static final Set<String> TRANSPORTS = Set.of("posix", "sysv", "xpmem");

    private SharedMemoryTransport() {
    }

    /** Returns whether messages of an endpoint go through shared memory, where all to one worker share a queue. */
    public static boolean carries(@Nullable UcpEndpoint endpoint) {
        return endpoint != null && !endpoint.isClosed() && endpoint.failure() == 0
                && endpoint.transports().stream().anyMatch(name ->
                TRANSPORTS.contains(name.substring(0, Math.max(0, name.indexOf('/')))));
    }
}
