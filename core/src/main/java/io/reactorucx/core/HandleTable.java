package io.reactorucx.core;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Objects by the native handle that they stand for, in an open-addressed table: looked up for every message, over thousands of endpoints.
 *
 * @param <T> what stands for a handle
 */
final class HandleTable<T> {

    private static final int INITIAL_SLOTS = 16;

    private long[] handles = new long[INITIAL_SLOTS];
    private @Nullable Object[] values = new Object[INITIAL_SLOTS];
    private int size;

    private int slot(long handle) {
        int mask = handles.length - 1;
        int slot = (int) (handle * 0x9E3779B97F4A7C15L >>> Integer.SIZE) & mask;
        while (values[slot] != null && handles[slot] != handle) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    @SuppressWarnings("unchecked")
    @Nullable T get(long handle) {
        return (T) values[slot(handle)];
    }

    void put(long handle, T value) {
        if (2 * (size + 1) > handles.length) {
            rehash();
        }
        int slot = slot(handle);
        if (values[slot] == null) {
            size++;
        }
        handles[slot] = handle;
        values[slot] = value;
    }

    private void rehash() {
        long[] oldHandles = handles;
        @Nullable Object[] oldValues = values;
        handles = new long[2 * oldHandles.length];
        values = new Object[handles.length];
        for (int i = 0; i < oldHandles.length; i++) {
            if (oldValues[i] != null) {
                int slot = slot(oldHandles[i]);
                handles[slot] = oldHandles[i];
                values[slot] = oldValues[i];
            }
        }
    }

    void remove(long handle) {
        int slot = slot(handle);
        if (values[slot] == null) {
            return;
        }
        values[slot] = null;
        size--;
        // Those behind it may have been put there because its place was taken.
        int mask = handles.length - 1;
        for (int next = slot + 1 & mask; values[next] != null; next = next + 1 & mask) {
            Object moved = values[next];
            values[next] = null;
            int place = slot(handles[next]);
            handles[place] = handles[next];
            values[place] = moved;
        }
    }

    @SuppressWarnings("unchecked")
    List<T> all() {
        return (List<T>) Arrays.stream(values).filter(Objects::nonNull).toList();
    }
}
