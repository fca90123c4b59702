package io.reactorucx.core;

import org.jspecify.annotations.Nullable;

/**
 * Finds memory for the data of large messages that UCX lends only during its upcall: UCX's tcp reads all messages into
 * one buffer. Data that is placed is copied once, and not by way of the Java heap.
 *
 * <p><b>Threading:</b> the worker's thread, inside UCX: it may not call the worker, which throws then.
 * <b>Ownership:</b> of {@link PlacedData}. <b>Errors:</b> should not throw: a message for which it does is lost.
 */
@FunctionalInterface
public interface DataPlacement {

    /**
     * Finds memory for the data of one message.
     *
     * @param header the header of the message, for reading
     * @param length the size of its data in bytes
     * @return the place for the data; null if it has none, and the data goes to the Java heap
     */
    @Nullable PlacedData place(byte[] header, int length);
}
