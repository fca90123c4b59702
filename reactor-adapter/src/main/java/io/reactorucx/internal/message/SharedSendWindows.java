package io.reactorucx.internal.message;

import io.reactorucx.core.UcpEndpoint;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rooms of all workers that an engine has connections with. On the engine's thread. */
public final class SharedSendWindows {

    private static final Set<String> OF_ONE_QUEUE = Set.of("posix", "sysv", "xpmem");

    private final Map<Long, SharedSendWindow> rooms = new HashMap<>();

    /** That of a peer's worker, until {@link #leave}. */
    public SharedSendWindow join(long workerId) {
        SharedSendWindow room = rooms.computeIfAbsent(workerId, id -> new SharedSendWindow());
        room.joins();
        return room;
    }

    /**
     * Whether what goes over an endpoint has one queue with all else that goes to the same worker: so it is in shared
     * memory alone.
     */
    static boolean isShared(@Nullable UcpEndpoint endpoint) {
        return endpoint != null && !endpoint.isClosed() && endpoint.failure() == 0 && endpoint.transports().stream()
                .anyMatch(name -> OF_ONE_QUEUE.contains(name.substring(0, Math.max(0, name.indexOf('/')))));
    }

    /** A connection has ended. */
    public void leave(long workerId) {
        SharedSendWindow room = rooms.get(workerId);
        if (room != null && room.leaves()) {
            rooms.remove(workerId);
        }
    }

    public int size() {
        return rooms.size();
    }
}
