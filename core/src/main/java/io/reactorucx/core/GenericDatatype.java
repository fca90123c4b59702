package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.MemorySegment;

/**
 * Data that packs or unpacks itself while UCX moves it ({@code ucp_generic_dt_ops_t}).
 *
 * <p>What {@link State#pack} or {@link State#unpack} throws ends the operation as {@link UcxStatus#IO_ERROR} on this
 * side and is logged. UCX is not notified, because it aborts the process on some errors of a callback. A peer gets
 * zeros for what was not packed.
 *
 * <p><b>Threading:</b> the worker's thread, partly from inside UCX: nothing of the worker may be called, but in {@link
 * State#finish()}, and nothing may block. <b>Ownership:</b> segments that are passed are valid within the call only.
 * <b>Errors:</b> as above; what a start or {@link State#packedSize()} throws refuses the operation; what {@link
 * State#finish()} throws makes it an {@link UcxStatus#IO_ERROR}, too.
 */
public interface GenericDatatype {

    /**
     * An operation that sends is posted.
     *
     * @return what packs its data
     */
    State startPack();

    /**
     * An operation that receives is posted.
     *
     * @return what unpacks its data
     */
    State startUnpack();

    /** Packs or unpacks the data of one operation. */
    interface State {

        /**
         * How much there is; asked once.
         *
         * @return bytes to send, or the most that can be received; 0 or more
         */
        long packedSize();

        /**
         * Fills a part of the message.
         *
         * @param offset of the part in the message
         * @param destination to be filled completely
         */
        void pack(long offset, MemorySegment destination);

        /**
         * Takes a part of the message; parts may come in any order.
         *
         * @param offset of the part in the message
         * @param source the part
         */
        void unpack(long offset, MemorySegment source);

        /** The operation has ended, well or not; called once. */
        void finish();
    }
}
