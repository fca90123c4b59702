package io.reactorucx.examples.store.replica;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.reactorucx.UcxResources;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.examples.store.wire.Change;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The values of a node, bounded by their number and by the bytes of the blocks that they lie in. Beyond either the
 * cache evicts those that it expects to be asked for least.
 */
final class Values implements AutoCloseable {

    private final UcxBufferPool pool;
    private final Cache<String, StoredValue> cache;

    Values(UcxResources resources, long maxEntries, long maxBytes) {
        pool = resources.buffers();
        // An entry weighs at least its share of the bytes, so that the weight bounds the number, too.
        long least = Math.max(1, Math.ceilDiv(maxBytes, maxEntries));
        cache = Caffeine.newBuilder().maximumWeight(maxBytes)
                .<String, StoredValue>weigher((key, value) ->
                        Math.toIntExact(Math.max(least, blockBytes(value.length()))))
                .removalListener((key, value, cause) -> evict(value))
                .executor(Runnable::run).build();
    }

    private static void evict(@Nullable StoredValue value) {
        if (value != null) {
            value.evict();
        }
    }

    private static long blockBytes(int length) {
        return Math.max(UcxBufferPool.MIN_BLOCK_BYTES, Long.highestOneBit(Math.max(1, length - 1L)) << 1);
    }

    @Nullable StoredValue get(String key) {
        return cache.getIfPresent(key);
    }

    /** Writes. Where the pool has no room for the value, the key is left without one: never with an older one. */
    void apply(Change change) {
        byte[] bytes = change.value();
        StoredValue value = bytes == null ? null : store(change.version(), bytes);
        if (value == null) {
            cache.invalidate(change.key());
        } else {
            cache.put(change.key(), value);
        }
    }

    private @Nullable StoredValue store(long version, byte[] bytes) {
        try {
            UcxBuffer buffer = pool.copyOf(bytes);
            return new StoredValue(version, buffer);
        } catch (UcxException e) {
            if (e.isRetryable()) {
                return null;
            }
            throw e;
        }
    }

    /** Returns the keys for which a condition holds, as far as they are there when it is asked. */
    List<String> keys(Predicate<String> condition) {
        return cache.asMap().keySet().stream().filter(condition).toList();
    }

    void remove(Predicate<String> condition) {
        cache.invalidateAll(keys(condition));
    }

    long entries() {
        return cache.estimatedSize();
    }

    @Override
    public void close() {
        cache.invalidateAll();
        cache.cleanUp();
    }
}
