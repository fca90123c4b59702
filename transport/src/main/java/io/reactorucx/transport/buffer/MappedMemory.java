package io.reactorucx.transport.buffer;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** The limit of peers' memory that all engines may map, and of rings, and the counters of its use. Thread: any. */
public final class MappedMemory {

    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final LongAdder offered = new LongAdder();
    private final LongAdder copied = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /**
     * Creates a limit.
     *
     * @param maxBytes as many bytes of all peers and rings, 0 to map nothing
     */
    public MappedMemory(long maxBytes) {
        this.maxBytes = checkMaxBytes(maxBytes);
    }

    public static long checkMaxBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("maxMappedBytes " + bytes + ": must be at least 0");
        }
        return bytes;
    }

    /** Reserves bytes, and returns whether the limit allows it. */
    public boolean reserve(long wanted) {
        long now = bytes.get();
        while (wanted <= maxBytes - now) {
            if (bytes.compareAndSet(now, now + wanted)) {
                return true;
            }
            now = bytes.get();
        }
        return false;
    }

    public void free(long reserved) {
        bytes.addAndGet(-reserved);
    }

    public void messageOffered() {
        offered.increment();
    }

    public void messageCopied() {
        copied.increment();
    }

    public void slabRefused() {
        refused.increment();
    }

    /** Returns how many bytes of peers are mapped, and those of rings. */
    public long bytes() {
        return bytes.get();
    }

    public long maxBytes() {
        return maxBytes;
    }

    /** Returns how many messages were offered to peers. */
    public long offered() {
        return offered.sum();
    }

    /** Returns how many messages were copied from memory of peers. */
    public long copied() {
        return copied.sum();
    }

    /** Returns how many slabs of peers were not mapped: the limit is reached, or this process may not see them. */
    public long refused() {
        return refused.sum();
    }
}
