package io.reactorucx;

import java.util.HashMap;
import java.util.Map;

/** The rooms of all workers that an engine has connections with. On the engine's thread. */
final class PeerRooms {

    private final Map<Long, PeerRoom> rooms = new HashMap<>();

    /** That of a peer's worker, until {@link #leave}. */
    PeerRoom join(long workerId) {
        PeerRoom room = rooms.computeIfAbsent(workerId, id -> new PeerRoom());
        room.joins();
        return room;
    }

    /** A connection has ended. What of it is still under way counts until UCX lets go. */
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
