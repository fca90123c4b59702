package io.reactorucx.message;

/**
 * A tagged message that has arrived and that no receive has matched yet.
 *
 * @param tag the sender's tag
 * @param length size in bytes
 */
public record TagInfo(long tag, long length) {
}
