package io.reactorucx.buffer;

import io.reactorucx.core.UcpMemory;
import io.reactorucx.internal.buffer.SharedLease;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import reactor.core.Disposable;

/**
 * A counted lease on native memory of a {@link UcxBufferPool}, or on a part of one.
 *
 * <p><b>Threading:</b> any thread; contents are not synchronised. <b>Ownership:</b> starts with one reference; the last
 * {@link #release()} of the lease and of all its slices gives the memory back. <b>Errors:</b> use after the last
 * release throws {@link IllegalStateException}.
 */
public final class UcxBuffer implements Disposable {

    private static final AtomicIntegerFieldUpdater<UcxBuffer> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(UcxBuffer.class, "references");

    private final SharedLease lease;
    private MemorySegment segment;
    private volatile int references = 1;

    UcxBuffer(SharedLease lease, MemorySegment segment) {
        this.lease = lease;
        this.segment = segment;
    }

    /**
     * Releases what an operator or a cancelled subscriber dropped, if it is something of this library that has to be: a
     * lease, a tagged message in one, an offered active message. For
     * {@code doOnDiscard(Object.class, UcxBuffer::discard)}, and for {@code Hooks.onNextDropped(UcxBuffer::discard)}.
     *
     * @param dropped anything; what is released already stays so
     */
    public static void discard(Object dropped) {
        if (dropped instanceof UcxBuffer || dropped instanceof ActiveMessage || dropped instanceof TaggedBuffer) {
            ((Disposable) dropped).dispose();
        }
    }

    /** {@return the memory, as long as was asked for} */
    public MemorySegment segment() {
        if (references <= 0) {
            throw released("it was released");
        }
        return segment;
    }

    private IllegalStateException released(String rule) {
        return new IllegalStateException("buffer of " + segment.byteSize() + " bytes: " + rule);
    }

    /** {@return a view of the memory, up to 2 GiB} */
    public ByteBuffer byteBuffer() {
        return segment().asByteBuffer();
    }

    /** {@return a copy of the contents, up to 2 GiB} */
    public byte[] toByteArray() {
        byte[] copy = segment().toArray(ValueLayout.JAVA_BYTE);
        Reference.reachabilityFence(this);
        return copy;
    }

    /**
     * The contents as text.
     *
     * @param charset how they are encoded
     * @return the text; what the charset does not know becomes its replacement character
     */
    public String toString(Charset charset) {
        return new String(toByteArray(), Objects.requireNonNull(charset, "charset"));
    }

    /** {@return size in bytes} */
    public long length() {
        return segment.byteSize();
    }

    /**
     * A part of this memory as a buffer of its own: it has one reference, and keeps the memory leased until it is
     * released itself, whether this buffer is released before or after.
     *
     * @param offset first byte of the part
     * @param length its size, may be 0
     * @return the slice
     */
    public UcxBuffer slice(long offset, long length) {
        if (offset < 0 || length < 0 || offset > segment.byteSize() - length) {
            throw new IndexOutOfBoundsException("slice of " + length + " bytes at " + offset + ": the buffer has "
                    + segment.byteSize());
        }
        if (references <= 0 || !lease.share()) {
            throw released("it was released");
        }
        lease.note("slice", null);
        return new UcxBuffer(lease, segment.asSlice(offset, length));
    }

    /**
     * Adds a reference.
     *
     * @return this
     */
    public UcxBuffer retain() {
        if (REFERENCES.getAndUpdate(this, count -> count <= 0 ? count : count + 1) <= 0) {
            throw released("it was released");
        }
        lease.note("retain", null);
        return this;
    }

    /**
     * Notes the place of this call, for the report if the lease leaks. Does nothing below
     * {@link LeakDetection#PARANOID}.
     *
     * @param hint what to say there, such as who has the lease now; its text is taken at once
     * @return this
     */
    public UcxBuffer touch(Object hint) {
        lease.note("touch", Objects.requireNonNull(hint, "hint"));
        return this;
    }

    /** Gives a reference back; with the last one the memory, unless slices keep it. */
    public void release() {
        if (!giveBack()) {
            throw released("it was released before");
        }
    }

    /** As {@link #release()}, but does nothing when the last reference is gone. */
    @Override
    public void dispose() {
        giveBack();
    }

    private boolean giveBack() {
        int before = REFERENCES.getAndUpdate(this, count -> count <= 0 ? count : count - 1);
        if (before > 0) {
            lease.note("release", null);
        }
        if (before == 1) {
            lease.giveBack();
            // Until here it has not leaked.
            Reference.reachabilityFence(this);
        }
        return before > 0;
    }

    @Override
    public boolean isDisposed() {
        return references <= 0;
    }

    /** Leaves the first bytes, which are all that were filled; before anybody has the lease. */
    public UcxBuffer shorten(long length) {
        segment = segment.asSlice(0, length);
        return this;
    }

    public UcpMemory registration() {
        return lease.registration();
    }
}
