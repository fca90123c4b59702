package io.reactorucx;

import io.reactorucx.core.UcpMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;

/**
 * A counted lease on native memory of a {@link UcxBufferPool}.
 *
 * <p><b>Threading:</b> any thread; contents are not synchronised. <b>Ownership:</b> starts with one reference; the last {@link #release()}
 * gives the memory back. <b>Errors:</b> use after that throws {@link IllegalStateException}.
 */
public final class UcxBuffer implements Disposable {

    private final UcxBufferPool pool;
    private final UcxBufferPool.Block block;
    private MemorySegment segment;
    private final AtomicInteger references = new AtomicInteger(1);

    UcxBuffer(UcxBufferPool pool, UcxBufferPool.Block block, long length) {
        this.pool = pool;
        this.block = block;
        this.segment = block.memory().asSlice(0, length);
    }

    /** {@return the memory, as long as was asked for} */
    public MemorySegment segment() {
        if (references.get() <= 0) {
            throw new IllegalStateException("buffer of " + segment.byteSize() + " bytes: it was released");
        }
        return segment;
    }

    /** {@return a view of the memory, up to 2 GiB} */
    public ByteBuffer byteBuffer() {
        return segment().asByteBuffer();
    }

    /** {@return size in bytes} */
    public long length() {
        return segment.byteSize();
    }

    /**
     * Adds a reference.
     *
     * @return this
     */
    public UcxBuffer retain() {
        if (references.getAndUpdate(count -> count <= 0 ? count : count + 1) <= 0) {
            throw new IllegalStateException("buffer of " + segment.byteSize() + " bytes: it was released");
        }
        return this;
    }

    /** Gives a reference back; with the last one the memory. */
    public void release() {
        if (!giveBack()) {
            throw new IllegalStateException("buffer of " + segment.byteSize() + " bytes: it was released before");
        }
    }

    /** As {@link #release()}, but does nothing when the last reference is gone. */
    @Override
    public void dispose() {
        giveBack();
    }

    private boolean giveBack() {
        int before = references.getAndUpdate(count -> count <= 0 ? count : count - 1);
        if (before == 1) {
            pool.release(block);
        }
        return before > 0;
    }

    @Override
    public boolean isDisposed() {
        return references.get() <= 0;
    }

    /** Leaves the first bytes, which are all that were filled; before anybody has the lease. */
    UcxBuffer shorten(long length) {
        segment = segment.asSlice(0, length);
        return this;
    }

    UcpMemory registration() {
        return block.slab().registration();
    }
}
