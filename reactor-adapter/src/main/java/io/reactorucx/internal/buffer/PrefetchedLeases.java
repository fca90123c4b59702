package io.reactorucx.internal.buffer;

import io.reactorucx.buffer.UcxBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Leases on their way to one subscriber through operators that prefetch. They are released when the subscriber cancels,
 * whichever operator holds them. Any thread.
 */
public final class PrefetchedLeases {

    private final Set<UcxBuffer> prefetched = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Adds a lease that has arrived. */
    public void add(UcxBuffer lease) {
        prefetched.add(lease);
        if (closed) {
            release(lease);
        }
    }

    /** Removes a lease that the subscriber gets now. */
    public void remove(UcxBuffer lease) {
        prefetched.remove(lease);
    }

    private void release(UcxBuffer lease) {
        if (prefetched.remove(lease)) {
            lease.release();
        }
    }

    /** Releases the leases that the subscriber has not got, and those that arrive later. */
    public void close() {
        closed = true;
        prefetched.forEach(this::release);
    }
}
