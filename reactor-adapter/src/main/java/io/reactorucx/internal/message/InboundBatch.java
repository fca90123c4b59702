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
public final class InboundBatch {

    private static final byte[] EMPTY = new byte[0];

    private final UcxBufferPool pool;
    /** Begins with the batch; whoever keeps a message has to copy it. */
    private byte[] bytes = EMPTY;
    private int size;
    private @Nullable UcxBuffer shared;

    InboundBatch(UcxBufferPool pool) {
        this.pool = pool;
    }

    void begin(byte[] batch, int byteSize) {
        bytes = batch;
        size = byteSize;
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
            whole = pool.acquire(size);
            MemorySegment.copy(bytes, 0, whole.segment(), ValueLayout.JAVA_BYTE, 0, size);
            shared = whole;
        }
        return whole.slice(offset, length);
    }

    /** Returns the batch, which is not to be kept; it may be shorter than the array. */
    public byte[] bytes() {
        return bytes;
    }

    byte[] copy(int offset, int length) {
        byte[] copy = new byte[length];
        MessageFrameCodec.copy(bytes, offset, copy, 0, length);
        return copy;
    }
}
