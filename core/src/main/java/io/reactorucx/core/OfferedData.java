package io.reactorucx.core;

import java.lang.foreign.MemorySegment;

/**
 * The data of an active message that UCX does not hold: in memory of the sender that this process has mapped, or placed
 * by its handler.
 *
 * <p><b>Threading:</b> the worker's thread. <b>Ownership:</b> exactly one of the methods is called, once.
 * <b>Errors:</b> what {@link #copyTo} throws is what {@link UcpActiveMessages#fetch} throws; the data is released then.
 */
public interface OfferedData {

    /**
     * Copies all of the data, and releases it.
     *
     * @param destination memory of exactly the length of the data
     */
    void copyTo(MemorySegment destination);

    /** Releases the data unread. */
    void release();
}
