package io.reactorucx.internal.lease;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.transport.buffer.Lease;
import io.reactorucx.transport.buffer.SharedLease;
import java.lang.foreign.MemorySegment;

/** The implementation of {@link UcxBuffer}: a lease, as the API shows it. */
public final class LeasedBuffer extends Lease implements UcxBuffer {

    /** For the pool. */
    public LeasedBuffer(SharedLease shared, MemorySegment segment) {
        super(shared, segment);
    }

    /** The buffer as this, its only implementation. */
    public static LeasedBuffer of(UcxBuffer buffer) {
        return (LeasedBuffer) buffer;
    }

    @Override
    public LeasedBuffer slice(long offset, long length) {
        return (LeasedBuffer) super.slice(offset, length);
    }

    @Override
    public LeasedBuffer retain() {
        super.retain();
        return this;
    }

    @Override
    public LeasedBuffer touch(Object hint) {
        super.touch(hint);
        return this;
    }

    @Override
    public LeasedBuffer shorten(long length) {
        super.shorten(length);
        return this;
    }
}
