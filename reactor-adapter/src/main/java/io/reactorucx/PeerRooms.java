package io.reactorucx;

import io.reactorucx.core.UcpEndpoint;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rooms of all workers that an engine has connections with. On the engine's thread. */
final class PeerRooms {

    private static final Set<String> OF_ONE_QUEUE = Set.of("posix", "sysv", "xpmem");

    private final Map<Long, PeerRoom> rooms = new HashMap<>();

    /** That of a peer's worker, until {@link #leave}. */
    PeerRoom join(long workerId) {
        PeerRoom room = rooms.computeIfAbsent(workerId, id -> new PeerRoom());
        room.joins();
        return room;
    }

    /** Whether what goes over an endpoint has one queue with all else that goes to the same worker: so it is in shared memory alone. */
    static boolean isShared(@Nullable UcpEndpoint endpoint) {
        return endpoint != null && !endpoint.isClosed() && endpoint.failure() == 0 && endpoint.transports().stream()
                .anyMatch(name -> OF_ONE_QUEUE.contains(name.substring(0, Math.max(0, name.indexOf('/')))));
    }

    /** A connection has ended. */
    void leave(long workerId) {
        PeerRoom room = rooms.get(workerId);
        if (room != null && room.leaves()) {
            rooms.remove(workerId);
        }
    }

    int size() {
        return rooms.size();
    }
}
