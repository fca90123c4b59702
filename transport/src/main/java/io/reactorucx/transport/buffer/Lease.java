package io.reactorucx.transport.buffer;

import io.reactorucx.core.UcpMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reference-counted lease on native memory of a {@link BufferPool}, or on a part of one: a slice has a count of its
 * own, and shares the block.
 *
 * <p>Thread: any; contents are not synchronised.
 */
public class Lease {

    private static final int MAX_CHARACTERS_OF_A_NAME = 200;

    private static final AtomicIntegerFieldUpdater<Lease> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(Lease.class, "references");

    private final SharedLease shared;
    private MemorySegment segment;
    private volatile int references = 1;

    /** For a pool's {@link LeaseFactory}. */
    public Lease(SharedLease shared, MemorySegment segment) {
        this.shared = shared;
        this.segment = segment;
    }

    /** Returns the memory, as many bytes as were requested. */
    public final MemorySegment segment() {
        if (references <= 0) {
            throw released("it was released");
        }
        return segment;
    }

    private IllegalStateException released(String rule) {
        return new IllegalStateException("buffer of " + segment.byteSize() + " bytes: " + rule);
    }

    /** Returns the size in bytes. */
    public final long length() {
        return segment.byteSize();
    }

    /** Returns a part of the memory as a lease with one reference of its own. */
    public Lease slice(long offset, long length) {
        if (offset < 0 || length < 0 || offset > segment.byteSize() - length) {
            throw new IndexOutOfBoundsException("slice of " + length + " bytes at " + offset + ": the buffer has "
                    + segment.byteSize());
        }
        if (references <= 0 || !shared.share()) {
            throw released("it was released");
        }
        shared.record("slice", null);
        return shared.lease(segment.asSlice(offset, length));
    }

    /** Adds a reference. */
    public Lease retain() {
        if (REFERENCES.getAndUpdate(this, count -> count <= 0 ? count : count + 1) <= 0) {
            throw released("it was released");
        }
        shared.record("retain", null);
        return this;
    }

    /** Records the place of this call for the report of a leak, with the text of the hint. */
    public Lease touch(Object hint) {
        shared.record("touch", Objects.requireNonNull(hint, "hint"));
        return this;
    }

    /** Drops a reference; the last one of the lease and of all its slices gives the memory back. */
    public final void release() {
        if (!dropReference()) {
            throw released("it was released before");
        }
    }

    /** As {@link #release()}, but does nothing when the last reference is gone. */
    public final void dispose() {
        dropReference();
    }

    /** Drops a reference. Returns whether there was one. */
    private boolean dropReference() {
        int before = REFERENCES.getAndUpdate(this, count -> count <= 0 ? count : count - 1);
        if (before > 0) {
            shared.record("release", null);
        }
        if (before == 1) {
            shared.release();
            // The lease must not become unreachable before the tracker has ended: that would be reported as a leak.
            Reference.reachabilityFence(this);
        }
        return before > 0;
    }

    /** Returns whether the last reference is gone. */
    public final boolean isDisposed() {
        return references <= 0;
    }

    /** Cuts the buffer to the bytes that were filled. Only before it is handed to a subscriber. */
    public Lease shorten(long length) {
        segment = segment.asSlice(0, length);
        return this;
    }

    /** Returns what detects the leak of this lease; null when it is not watched. */
    @Nullable LeakTracker tracker() {
        return shared.tracker();
    }

    /** The registration of the memory with UCX. */
    public final UcpMemory registration() {
        return shared.registration();
    }

    /**
     * Adds to the report of a lease's leak what was received. Does nothing for a lease that is not watched, and for
     * what is no lease.
     *
     * @param what what was received, with the word that leads to the peer: "a response from"
     * @param receiver the subscriber or the handler that gets the lease
     * @param nameOf returns the name of a receiver, empty for none
     * @param place where the application asked for it; null where places are not recorded
     */
    public static void addOrigin(@Nullable Object received, String what, String peer, Object receiver,
            Function<Object, String> nameOf, @Nullable LeakRecord place) {
        LeakTracker tracker = received instanceof Lease lease ? lease.tracker() : null;
        if (tracker != null) {
            String name = nameOf.apply(receiver);
            tracker.received(new LeaseOrigin(peer, what + " [" + peer + "]" + (name.isEmpty() ? "" : " for "
                    + name.substring(0, Math.min(name.length(), MAX_CHARACTERS_OF_A_NAME))), place));
        }
    }
}
