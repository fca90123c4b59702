package io.reactorucx.message;

import io.reactorucx.buffer.Discardable;
import io.reactorucx.buffer.UcxBuffer;

/**
 * A tagged message in leased memory.
 *
 * @param tag the sender's tag
 * @param data the data of the message, which the receiver has to release
 */
public record TaggedBuffer(long tag, UcxBuffer data) implements Discardable {

    /** Drops a reference of the data, if there is one left. */
    @Override
    public void dispose() {
        data.dispose();
    }

    @Override
    public boolean isDisposed() {
        return data.isDisposed();
    }
}
