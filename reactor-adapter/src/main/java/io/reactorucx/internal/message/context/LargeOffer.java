package io.reactorucx.internal.message.context;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A large message of the peer, which has arrived without its data: it is fetched once, or released.
 *
 * <p>Thread: engine.
 */
public interface LargeOffer {

    /** Returns the header, which is not to be changed. */
    byte[] header();

    /** Returns the size of the data. */
    long length();

    /**
     * Begins to fetch the data. Throws, with a retryable status while the engine has no slot, and may be called again.
     *
     * @return whether the data is there already; if not, the callback tells
     */
    boolean fetch(MemorySegment destination, @Nullable UcpMemory registration, Completion whenDone);

    /** Gives the message up, unless it was fetched or given up. Returns whether that drops an offer of the peer. */
    boolean release();
}
