package io.reactorucx.internal.buffer;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link UcxBuffer}: a reference count of its own, on a block that slices share. */
public final class LeasedBuffer extends UcxBuffer {

    private static final AtomicIntegerFieldUpdater<LeasedBuffer> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(LeasedBuffer.class, "references");

    private final SharedLease lease;
    private MemorySegment segment;
    private volatile int references = 1;

    LeasedBuffer(SharedLease lease, MemorySegment segment) {
        this.lease = lease;
        this.segment = segment;
    }

    /** The buffer as this, its only implementation. */
    public static LeasedBuffer of(UcxBuffer buffer) {
        return (LeasedBuffer) buffer;
    }

    @Override
    public MemorySegment segment() {
        if (references <= 0) {
            throw released("it was released");
        }
        return segment;
    }

    private IllegalStateException released(String rule) {
        return new IllegalStateException("buffer of " + segment.byteSize() + " bytes: " + rule);
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public LeasedBuffer slice(long offset, long length) {
        if (offset < 0 || length < 0 || offset > segment.byteSize() - length) {
            throw new IndexOutOfBoundsException("slice of " + length + " bytes at " + offset + ": the buffer has "
                    + segment.byteSize());
        }
        if (references <= 0 || !lease.share()) {
            throw released("it was released");
        }
        lease.record("slice", null);
        return new LeasedBuffer(lease, segment.asSlice(offset, length));
    }

    @Override
    public LeasedBuffer retain() {
        if (REFERENCES.getAndUpdate(this, count -> count <= 0 ? count : count + 1) <= 0) {
            throw released("it was released");
        }
        lease.record("retain", null);
        return this;
    }

    @Override
    public LeasedBuffer touch(Object hint) {
        lease.record("touch", Objects.requireNonNull(hint, "hint"));
        return this;
    }

    @Override
    public void release() {
        if (!dropReference()) {
            throw released("it was released before");
        }
    }

    @Override
    public void dispose() {
        dropReference();
    }

    /** Drops a reference. Returns whether there was one. */
    private boolean dropReference() {
        int before = REFERENCES.getAndUpdate(this, count -> count <= 0 ? count : count - 1);
        if (before > 0) {
            lease.record("release", null);
        }
        if (before == 1) {
            lease.release();
            // It must not become unreachable before the tracker has ended: that would be reported as a leak.
            Reference.reachabilityFence(this);
        }
        return before > 0;
    }

    @Override
    public boolean isDisposed() {
        return references <= 0;
    }

    /** Cuts the buffer to the bytes that were filled. Only before it is handed to a subscriber. */
    public LeasedBuffer shorten(long length) {
        segment = segment.asSlice(0, length);
        return this;
    }

    /** Returns what detects the leak of this lease; null when it is not watched. */
    @Nullable LeakTracker tracker() {
        return lease.tracker();
    }

    /** The registration of the memory with UCX. */
    public UcpMemory registration() {
        return lease.registration();
    }
}
