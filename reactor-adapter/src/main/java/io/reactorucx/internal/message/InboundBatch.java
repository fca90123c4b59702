package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.internal.frame.MessageFrameCodec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The batch whose frames are being applied. Messages that are delivered as leases share one block of the pool.
 *
 * <p>Thread: engine.
 */
final class InboundBatch {

    private static final byte[] EMPTY = new byte[0];

    private final UcxBufferPool pool;
    private byte[] bytes = EMPTY;
    private @Nullable UcxBuffer shared;

    InboundBatch(UcxBufferPool pool) {
        this.pool = pool;
    }

    void begin(byte[] batch) {
        bytes = batch;
    }

    void end() {
        bytes = EMPTY;
        UcxBuffer whole = shared;
        if (whole != null) {
            shared = null;
            whole.release();
        }
    }

    UcxBuffer lease(int offset, int length) {
        UcxBuffer whole = shared;
        if (whole == null) {
            whole = pool.acquire(bytes.length);
            MemorySegment.copy(bytes, 0, whole.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
            shared = whole;
        }
        return whole.slice(offset, length);
    }

    byte[] copy(int offset, int length) {
        byte[] copy = new byte[length];
        MessageFrameCodec.copy(bytes, offset, copy, 0, length);
        return copy;
    }
}
