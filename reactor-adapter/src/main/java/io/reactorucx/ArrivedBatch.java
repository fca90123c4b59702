package io.reactorucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** The batch that is taken apart now. Its messages that go out as leases share one block. On the engine's thread. */
final class ArrivedBatch {

    private final UcxBufferPool pool;
    private MemorySegment bytes = MemorySegment.NULL;
    private @Nullable UcxBuffer shared;

    ArrivedBatch(UcxBufferPool pool) {
        this.pool = pool;
    }

    void begin(MemorySegment batch) {
        bytes = batch;
    }

    void end() {
        bytes = MemorySegment.NULL;
        UcxBuffer whole = shared;
        if (whole != null) {
            shared = null;
            whole.release();
        }
    }

    UcxBuffer lease(int offset, int length) {
        UcxBuffer whole = shared;
        if (whole == null) {
            whole = pool.acquire(bytes.byteSize());
            whole.segment().copyFrom(bytes);
            shared = whole;
        }
        return whole.slice(offset, length);
    }

    byte[] copy(int offset, int length) {
        byte[] copy = new byte[length];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, offset, copy, 0, length);
        return copy;
    }
}
