package io.reactorucx.core;

/**
 * A tagged message that has arrived and waits for a receive.
 *
 * @param tag the sender's tag
 * @param length size in bytes
 */
public record UcpTagInfo(long tag, long length) {
}
