package io.reactorucx.transport.connection;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.carrier.LargeMessages;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The way of a connection for large messages other than UCX's, if it has one that its carrier does not use by itself.
 *
 * <p>Thread: engine.
 */
public final class LargeMessageWay {

    private final Carrier carrier;
    private @Nullable LargeMessages way;

    LargeMessageWay(Carrier carrier) {
        this.carrier = carrier;
    }

    /** Sets the way. */
    public void use(LargeMessages found) {
        way = carrier.takesLarge(found) ? null : found;
    }

    /** Offers a message to the peer, as {@link LargeMessages#offer} does, and returns whether it goes this way. */
    public boolean offer(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            Completion whenDone) {
        LargeMessages taken = way;
        return taken != null && taken.offer(reservedId, header, payload, registration, whenDone);
    }
}
