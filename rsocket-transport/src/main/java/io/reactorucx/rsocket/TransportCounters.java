package io.reactorucx.rsocket;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The open connections of a transport, and what happened to those that have ended. Any thread. */
final class TransportCounters {

    private final Set<FrameQueue> queues = ConcurrentHashMap.newKeySet();
    private final AtomicLong overflows = new AtomicLong();

    /** Counts a connection by its queue. */
    void opened(FrameQueue queue) {
        queues.add(queue);
    }

    void closed(FrameQueue queue) {
        queues.remove(queue);
    }

    void overflowed() {
        overflows.incrementAndGet();
    }

    UcxTransportStatistics snapshot() {
        int connections = 0;
        long bytes = 0;
        for (FrameQueue queue : queues) {
            connections++;
            bytes += queue.bytes();
        }
        return new UcxTransportStatistics(connections, bytes, overflows.get());
    }
}
