package io.reactorucx.core;

import java.lang.foreign.MemorySegment;

/**
 * The data of an active message that was copied to where its handler wants it. {@link UcpActiveMessages#take} hands it
 * over as it is.
 *
 * <p><b>Threading, ownership, errors:</b> of {@link OfferedData}; what {@link UcpActiveMessages#take} returns is the
 * caller's.
 */
public interface PlacedData extends OfferedData {

    /** {@return native memory of at least the length of the data, to which it is copied once} */
    @Override
    MemorySegment memory();

    /** Nobody else writes to it. */
    @Override
    default void requireIntact() {
    }
}
