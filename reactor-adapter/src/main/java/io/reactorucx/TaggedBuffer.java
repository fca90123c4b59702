package io.reactorucx;

/**
 * A tagged message in leased memory.
 *
 * @param tag the sender's tag
 * @param data the message, as long as it is; the receiver's to release
 */
public record TaggedBuffer(long tag, UcxBuffer data) {
}
