package io.reactorucx.examples.store.wire;

import org.jspecify.annotations.Nullable;

/**
 * A write of one key.
 *
 * @param version its number among the writes of its pair
 * @param key the key
 * @param value its new value; null if the key was deleted
 */
public record Change(long version, String key, byte @Nullable [] value) {

    /** {@return about as many bytes as it takes on the wire} */
    public int bytes() {
        return key.length() + (value == null ? 0 : value.length) + Long.BYTES;
    }
}
