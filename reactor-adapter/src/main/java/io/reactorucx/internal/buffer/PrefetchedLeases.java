package io.reactorucx.internal.buffer;

import io.reactorucx.buffer.UcxBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Leases that have arrived for one subscriber and that it has not got yet: they go back when it gives up, whichever
 * operator holds them.
 */
public final class PrefetchedLeases {

    private final Set<UcxBuffer> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public void arrived(UcxBuffer lease) {
        waiting.add(lease);
        if (closed) {
            giveBack(lease);
        }
    }

    public void handedOn(UcxBuffer lease) {
        waiting.remove(lease);
    }

    void giveBack(UcxBuffer lease) {
        if (waiting.remove(lease)) {
            lease.release();
        }
    }

    public void close() {
        closed = true;
        waiting.forEach(this::giveBack);
    }
}
