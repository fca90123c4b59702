package io.reactorucx.buffer;

import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.transport.LeakDetection;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reference-counted lease on native memory of a {@link UcxBufferPool}, or on a part of one.
 *
 * <p><b>Threading:</b> any thread; contents are not synchronised. <b>Ownership:</b> starts with one reference; the last
 * {@link #release()} of the lease and of all its slices gives the memory back. <b>Errors:</b> use after the last
 * release throws {@link IllegalStateException}.
 */
public sealed interface UcxBuffer extends Discardable permits LeasedBuffer {

    /**
     * Disposes of a value that an operator or a cancelled subscriber dropped, if it is {@link Discardable}: a lease, a
     * tagged message in a lease, an offered active message. For {@code doOnDiscard(Object.class, UcxBuffer::discard)},
     * and for {@code Hooks.onNextDropped(UcxBuffer::discard)}.
     *
     * @param dropped any object, or null; a lease that is released already stays so
     */
    static void discard(@Nullable Object dropped) {
        if (dropped instanceof Discardable discardable) {
            discardable.dispose();
        }
    }

    /** {@return the memory, as many bytes as were requested} */
    MemorySegment segment();

    /** {@return a view of the memory, up to 2 GiB} */
    default ByteBuffer byteBuffer() {
        return segment().asByteBuffer();
    }

    /** {@return a copy of the contents, up to 2 GiB} */
    default byte[] toByteArray() {
        byte[] copy = segment().toArray(ValueLayout.JAVA_BYTE);
        Reference.reachabilityFence(this);
        return copy;
    }

    /**
     * Decodes the contents as text.
     *
     * @param charset the encoding of the contents
     * @return the text; bytes that the charset does not map become its replacement character
     */
    default String toString(Charset charset) {
        return new String(toByteArray(), Objects.requireNonNull(charset, "charset"));
    }

    /** {@return size in bytes} */
    long length();

    /**
     * Returns a part of this memory as a buffer with a reference count of its own. The slice starts with one reference
     * and keeps the memory leased until it is released, whether this buffer is released before or after.
     *
     * @param offset first byte of the part
     * @param length its size, may be 0
     * @return the slice
     */
    UcxBuffer slice(long offset, long length);

    /**
     * Adds a reference.
     *
     * @return this
     */
    UcxBuffer retain();

    /**
     * Records the place of this call for the report of a leak. Does nothing below {@link LeakDetection#PARANOID}.
     *
     * @param hint added to the record, such as the name of the lease's new owner; its text is taken at once
     * @return this
     */
    UcxBuffer touch(Object hint);

    /** Drops a reference; with the last one the memory goes back to the pool, unless slices keep it. */
    void release();

    /** As {@link #release()}, but does nothing when the last reference is gone. */
    @Override
    void dispose();

    /** {@return whether the last reference is gone} */
    @Override
    boolean isDisposed();
}
