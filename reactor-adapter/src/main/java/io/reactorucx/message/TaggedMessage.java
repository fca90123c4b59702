package io.reactorucx.message;

import java.lang.foreign.MemorySegment;

/**
 * A tagged message in memory of the receiver.
 *
 * @param tag the sender's tag
 * @param data the part of the destination that was filled
 */
public record TaggedMessage(long tag, MemorySegment data) {
}
