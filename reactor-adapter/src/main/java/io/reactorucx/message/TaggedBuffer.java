package io.reactorucx.message;

import io.reactorucx.buffer.Discardable;
import io.reactorucx.buffer.UcxBuffer;

/**
 * A tagged message in leased memory.
 *
 * @param tag the sender's tag
 * @param data the message, as long as it is; the receiver's to release
 */
public record TaggedBuffer(long tag, UcxBuffer data) implements Discardable {

    /** Gives the data's reference back, if there is one left. */
    @Override
    public void dispose() {
        data.dispose();
    }

    @Override
    public boolean isDisposed() {
        return data.isDisposed();
    }
}
