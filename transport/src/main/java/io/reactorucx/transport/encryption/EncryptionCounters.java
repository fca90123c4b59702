package io.reactorucx.transport.encryption;

import io.reactorucx.transport.EncryptionStatistics;
import io.reactorucx.transport.counter.EngineCounter;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what an engine encrypts.
 *
 * <p>Thread: engine, {@link #snapshot()} any.
 */
final class EncryptionCounters {

    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong sealedRecords = new AtomicLong();
    private final AtomicLong sealedBytes = new AtomicLong();
    private final AtomicLong openedRecords = new AtomicLong();
    private final AtomicLong openedBytes = new AtomicLong();
    private final AtomicLong broken = new AtomicLong();
    private final AtomicLong memoryBytes = new AtomicLong();

    /** Returns the native memory, which is set. */
    AtomicLong memoryBytes() {
        return memoryBytes;
    }

    void countConnection() {
        EngineCounter.add(connections, 1);
    }

    void countSealed(long bytes) {
        EngineCounter.add(sealedRecords, 1);
        EngineCounter.add(sealedBytes, bytes);
    }

    void countOpened(long bytes) {
        EngineCounter.add(openedRecords, 1);
        EngineCounter.add(openedBytes, bytes);
    }

    void countBroken() {
        EngineCounter.add(broken, 1);
    }

    EncryptionStatistics snapshot() {
        return new EncryptionStatistics(connections.getOpaque(), sealedRecords.getOpaque(), sealedBytes.getOpaque(),
                openedRecords.getOpaque(), openedBytes.getOpaque(), broken.getOpaque(),
                memoryBytes.getOpaque());
    }
}
