package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The data of an active message that UCX does not hold: in memory of the sender that this process has mapped, placed by
 * its handler, or with the sender in another form.
 *
 * <p><b>Threading:</b> the worker's thread. <b>Ownership:</b> exactly one of {@link #copyTo}, {@link #fetch} and {@link
 * #release()} is called, once. <b>Errors:</b> what {@link #copyTo} throws is what {@link UcpActiveMessages#fetch}
 * throws; the data is released then.
 */
public interface OfferedData {

    /**
     * {@return whether {@link #memory()} shows the data and {@link #copyTo} copies it; if not, {@link #fetch} gets it}
     */
    default boolean isLocal() {
        return true;
    }

    /**
     * Begins to get data that is not local. What it throws leaves the data as it was: it may be fetched again.
     *
     * @param destination memory of exactly the length of the data
     * @param registration the registered memory that the destination is part of, if it is
     * @param whenDone called when the data has arrived
     * @return whether it has arrived within the call, so that {@code whenDone} is not called
     */
    default boolean fetch(MemorySegment destination, @Nullable UcpMemory registration, Completion whenDone) {
        throw new IllegalStateException("the data is local");
    }

    /**
     * Copies all of the data, and releases it.
     *
     * @param destination memory of exactly the length of the data
     */
    void copyTo(MemorySegment destination);

    /** {@return memory that begins with the data, until that is released} */
    MemorySegment memory();

    /** Throws {@link UcxException} when that memory may have something else by now, as it may while it is read. */
    void requireIntact();

    /** Releases the data, after {@link #memory()} was read, or unread. */
    void release();
}
