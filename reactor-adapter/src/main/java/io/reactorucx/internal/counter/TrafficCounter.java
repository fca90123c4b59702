package io.reactorucx.internal.counter;

import io.reactorucx.message.TrafficStatistics;
import io.reactorucx.transport.counter.EngineCounter;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what one part of the API sends and receives on one engine. Thread: engine; {@link #snapshot()} any. */
public final class TrafficCounter {

    private final AtomicLong sentMessages = new AtomicLong();
    private final AtomicLong sentBytes = new AtomicLong();
    private final AtomicLong receivedMessages = new AtomicLong();
    private final AtomicLong receivedBytes = new AtomicLong();

    public void sent(long messages, long bytes) {
        EngineCounter.add(sentMessages, messages);
        EngineCounter.add(sentBytes, bytes);
    }

    /** Messages have arrived, with so many bytes of them; those of large messages follow when they are fetched. */
    public void received(long messages, long bytes) {
        EngineCounter.add(receivedMessages, messages);
        EngineCounter.add(receivedBytes, bytes);
    }

    public TrafficStatistics snapshot() {
        return new TrafficStatistics(sentMessages.getOpaque(), sentBytes.getOpaque(), receivedMessages.getOpaque(),
                receivedBytes.getOpaque());
    }
}
