package io.reactorucx.memory;

import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * The exported memory of some resources: counts since the start, and amounts now.
 *
 * @param windows windows that are exported, including those that are being revoked
 * @param maxWindows maximum number of windows
 * @param requests requests of peers, for each kind of access
 * @param violations connections that were closed because the peer violated the protocol
 */
public record ServedMemoryStatistics(int windows, int maxWindows, Map<Access, Requests> requests, long violations) {

    /** Copies the map. */
    public ServedMemoryStatistics {
        requests = Map.copyOf(requests);
    }

    /** The kinds of access of a peer to memory. */
    public enum Access {
        /** The peer writes. */
        PUT,
        /** The peer reads. */
        GET,
        /** The peer changes a word by an atomic operation. */
        ATOMIC
    }

    /**
     * The requests for one kind of access.
     *
     * @param served requests that succeeded
     * @param refused requests that failed: wrong key, missing right, out of bounds
     * @param bytes bytes that peers read or wrote
     */
    public record Requests(long served, long refused, long bytes) {
    }

    /**
     * {@return the requests for one kind of access}
     *
     * @param access the kind
     */
    public Requests of(Access access) {
        return Objects.requireNonNull(requests.get(access), "access");
    }

    /** {@return requests that succeeded} */
    public long served() {
        return sum(Requests::served);
    }

    /** {@return requests that failed: wrong key, missing right, out of bounds} */
    public long refused() {
        return sum(Requests::refused);
    }

    /** {@return bytes that peers read or wrote, including atomic operations} */
    public long bytes() {
        return sum(Requests::bytes);
    }

    private long sum(ToLongFunction<Requests> count) {
        return requests.values().stream().mapToLong(count).sum();
    }
}
