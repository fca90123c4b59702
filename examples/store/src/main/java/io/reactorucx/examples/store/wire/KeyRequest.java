package io.reactorucx.examples.store.wire;

/**
 * Reads or deletes a key.
 *
 * @param key the key
 * @param expiresAt when the node may not begin with it any more, in ms since 1970
 * @param windows whether the client can read memory of the node
 */
public record KeyRequest(String key, long expiresAt, boolean windows) {
}
