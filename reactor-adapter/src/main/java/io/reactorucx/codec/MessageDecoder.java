package io.reactorucx.codec;

/**
 * Turns messages that have arrived into the values that a subscriber gets. It reads each in the memory in which it has
 * come, so that nothing is copied but what the value keeps.
 *
 * <p><b>Threading:</b> on the engine's thread, which it must not block; for one message of a subscription at a time.
 * <b>Ownership:</b> of the message nothing, unless it asks for it: {@link EncodedMessage#toByteArray()},
 * {@link EncodedMessage#lease()}. <b>Errors:</b> what it throws, and a {@link NullPointerException} for null, ends its
 * receive, as if the subscriber had cancelled and got that error: the peer's sends are cancelled, and what was on its
 * way is dropped. The connection stays, and the next subscriber gets what the peer sends then.
 *
 * @param <T> type of the values
 */
@FunctionalInterface
public interface MessageDecoder<T> {

    /**
     * Decodes a message. The decoder is called again for the same message, later, if it has let through what
     * {@link EncodedMessage#lease()} throws while the pool has no memory.
     *
     * @param message its bytes, within this call
     * @return the value, not null
     * @throws Exception if the bytes are no such value
     */
    T decode(EncodedMessage message) throws Exception;
}
