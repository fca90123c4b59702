package io.reactorucx.internal.mapped;

import io.reactorucx.core.OfferedData;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * One message that the peer offers in a slab.
 *
 * <p>Thread: engine.
 */
final class MappedOffer implements OfferedData {

    private final MappedReceiver receiver;
    private final MappedReceiver.Mapping mapping;
    private final int number;
    private final long offset;

    MappedOffer(MappedReceiver receiver, MappedReceiver.Mapping mapping, int number, long offset) {
        this.receiver = receiver;
        this.mapping = mapping;
        this.number = number;
        this.offset = offset;
    }

    @Override
    public void copyTo(MemorySegment destination) {
        try {
            requireIntact();
            MemorySegment.copy(memory(), 0, destination, 0, destination.byteSize());
            // The copied bytes were read before the word is read again.
            VarHandle.acquireFence();
            requireIntact();
            receiver.counters().messageCopied();
        } finally {
            release();
        }
    }

    @Override
    public MemorySegment memory() {
        return mapping.slab().memory().asSlice(offset);
    }

    @Override
    public void requireIntact() {
        if (!mapping.stands()) {
            throw new UcxException(UcxStatus.CONNECTION_RESET, "am_recv_data", receiver.connection().peer(),
                    "the peer has given the message up");
        }
    }

    @Override
    public void release() {
        receiver.taken(number, mapping);
    }
}
