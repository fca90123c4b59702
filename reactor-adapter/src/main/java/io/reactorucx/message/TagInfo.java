package io.reactorucx.message;

/**
 * A tagged message that has arrived and waits for a receive.
 *
 * @param tag the sender's tag
 * @param length size in bytes
 */
public record TagInfo(long tag, long length) {
}
