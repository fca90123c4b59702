package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import java.lang.foreign.MemorySegment;

/**
 * The data of an active message that UCX does not hold: in memory of the sender that this process has mapped, or placed
 * by its handler.
 *
 * <p><b>Threading:</b> the worker's thread. <b>Ownership:</b> exactly one of {@link #copyTo} and {@link #release()} is
 * called, once. <b>Errors:</b> what {@link #copyTo} throws is what {@link UcpActiveMessages#fetch} throws; the data is
 * released then.
 */
public interface OfferedData {

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
