package io.reactorucx.message;

import java.lang.foreign.MemorySegment;

/**
 * A tagged message that was received.
 *
 * @param tag the sender's tag
 * @param data the part of the destination that was filled
 */
public record TaggedMessage(long tag, MemorySegment data) {
}
