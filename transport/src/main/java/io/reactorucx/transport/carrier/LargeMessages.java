package io.reactorucx.transport.carrier;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A way for large messages other than UCX's, which some connections have.
 *
 * <p>Thread: engine.
 */
public interface LargeMessages {

    /**
     * Offers a message to the peer, if it can go this way.
     *
     * @param id the reserved id of its protocol
     * @param header the header of the message, which is copied
     * @param payload leased memory, which stays leased until the end
     * @param registration the registration of that memory, null for other memory
     * @param whenDone called when the peer has taken the message or given it up, or when it is lost
     * @return whether it goes this way; if not, nothing was done
     */
    boolean offer(int id, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            Completion whenDone);
}
