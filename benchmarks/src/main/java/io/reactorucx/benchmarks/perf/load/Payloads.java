package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/**
 * Registered memory for the payloads of concurrent operations. The content does not matter, so operations may share it.
 */
public final class Payloads implements AutoCloseable {

    private static final long MAX_BYTES = 64L << 20;
    /** Largest size for which a copy on the Java heap costs less than a lease. */
    private static final int SMALL = 1024;

    private final UcxBuffer all;
    private final UcxBuffer[] parts;
    private final boolean fresh;
    private byte written;

    /**
     * Takes memory of a pool.
     *
     * @param size bytes of a payload
     * @param wanted how many there should be
     * @param fresh whether each is written before it is sent
     */
    public Payloads(UcxBufferPool pool, int size, int wanted, boolean fresh) {
        this.fresh = fresh;
        int count = Math.clamp(MAX_BYTES / size, 1, wanted);
        all = pool.acquire((long) size * count);
        all.segment().fill((byte) 0);
        parts = IntStream.range(0, count).mapToObj(i -> all.slice((long) i * size, size)).toArray(UcxBuffer[]::new);
    }

    /** Whether messages of a size are sent as byte arrays where the API offers both. */
    public static boolean isSmall(int size) {
        return size <= SMALL;
    }

    public UcxBuffer lease(int lane) {
        return parts[lane % parts.length];
    }

    /** {@return one that the send releases} */
    public UcxBuffer toSend(int lane) {
        UcxBuffer payload = lease(lane);
        if (fresh) {
            payload.segment().fill(++written);
        }
        return payload.retain();
    }

    public MemorySegment segment(int lane) {
        return lease(lane).segment();
    }

    @Override
    public void close() {
        for (UcxBuffer part : parts) {
            part.release();
        }
        all.release();
    }
}
