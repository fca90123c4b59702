package io.reactorucx.core;

import java.lang.foreign.MemorySegment;
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

    /**
     * Where the header and the data of a message are that has come by another way than UCX.
     *
     * <p><b>Threading:</b> the worker's thread. <b>Ownership:</b> the implementor's; it is read within
     * {@link UcpActiveMessages#arrived}. <b>Errors:</b> {@link IndexOutOfBoundsException} for what is outside.
     */
    interface Source {

        /** {@return its size in bytes} */
        long size();

        /**
         * Copies a part.
         *
         * @param offset where from
         * @param to where to, from its start on
         * @param bytes how much
         */
        void copyTo(long offset, byte[] to, int bytes);

        /**
         * Copies a part.
         *
         * @param offset where from
         * @param to where to, from its start on
         * @param bytes how much
         */
        void copyTo(long offset, MemorySegment to, long bytes);
    }
}
