package io.reactorucx.examples.store.wire;

/**
 * Writes a key.
 *
 * @param key the key
 * @param value its new value
 * @param expiresAt when the node may not begin with it any more, in ms since 1970
 */
public record PutRequest(String key, byte[] value, long expiresAt) {
}
