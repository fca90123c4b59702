package io.reactorucx.internal.codec;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.transport.frame.FrameBytes;
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

    private final LeasePool pool;
    /** Begins with the batch; whoever keeps a message has to copy it. */
    private byte[] bytes = EMPTY;
    private int size;
    private @Nullable UcxBuffer shared;
    private final InboundMessage single = new InboundMessage();

    public InboundBatch(LeasePool pool) {
        this.pool = pool;
    }

    public void begin(byte[] batch, int byteSize) {
        bytes = batch;
        size = byteSize;
    }

    public void end() {
        bytes = EMPTY;
        UcxBuffer whole = shared;
        if (whole != null) {
            shared = null;
            whole.release();
        }
    }

    /** Shows a message to one of this library's decoders, which leads to no other message within its call. */
    public InboundMessage message(int offset, int length) {
        return single.of(this, offset, length);
    }

    UcxBuffer lease(int offset, int length) {
        UcxBuffer whole = shared;
        if (whole == null) {
            // Who gets the messages is known, and not where this thread comes from.
            whole = pool.acquire(size, null);
            MemorySegment.copy(bytes, 0, whole.segment(), ValueLayout.JAVA_BYTE, 0, size);
            shared = whole;
        }
        return whole.slice(offset, length);
    }

    /** Returns the batch, which is not to be kept; it may be shorter than the array. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns a copy of a message, which may be kept. */
    public byte[] copy(int offset, int length) {
        return FrameBytes.copyOf(bytes, offset, length);
    }
}
