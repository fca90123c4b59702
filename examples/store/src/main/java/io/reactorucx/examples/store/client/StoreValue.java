package io.reactorucx.examples.store.client;

/**
 * A value of the store.
 *
 * @param bytes the value; the caller's own copy
 * @param version of it, which rises with each write of the key
 */
public record StoreValue(byte[] bytes, long version) {
}
