package io.reactorucx.examples.store.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The values that the keys may hold. Each key has one writer, which numbers its writes from 1 and begins one after the
 * other, so that a read must answer the last acknowledged write, or a later one. Each byte of a value follows from its
 * key and number.
 *
 * <p>Threading: any thread.
 */
final class KeyModel {

    private static final int LARGE_EACH = 32;
    private static final int LARGE_BYTES = 256 << 10;
    private static final int LEAST_BYTES = 64;
    private static final int SPREAD_BYTES = 960;
    private static final int DELETE_EACH = 16;

    private final String prefix;
    private final AtomicLongArray begun;
    private final AtomicLongArray acknowledged;

    KeyModel(String prefix, int keys) {
        this.prefix = prefix;
        this.begun = new AtomicLongArray(keys);
        this.acknowledged = new AtomicLongArray(keys);
    }

    /** The verdict on an answer. */
    enum Verdict {
        RIGHT,
        /** A value that the key never had, or that is older than the last acknowledged write. */
        WRONG,
        /** No value although one was acknowledged. */
        MISSING
    }

    int keys() {
        return begun.length();
    }

    String key(int index) {
        return prefix + "-" + index;
    }

    /** Returns the number of the next write, which is begun. */
    long begin(int index) {
        return begun.incrementAndGet(index);
    }

    void acknowledge(int index, long write) {
        acknowledged.accumulateAndGet(index, write, Math::max);
    }

    long acknowledged(int index) {
        return acknowledged.get(index);
    }

    /** Returns the value of a write; null if it deletes. */
    byte @Nullable [] value(int index, long write) {
        if (write % DELETE_EACH == 0) {
            return null;
        }
        SplittableRandom random = new SplittableRandom(31L * key(index).hashCode() + write);
        byte[] value = new byte[index % LARGE_EACH == 0 ? LARGE_BYTES : LEAST_BYTES + random.nextInt(SPREAD_BYTES)];
        random.nextBytes(value);
        ByteBuffer.wrap(value).putLong(write);
        return value;
    }

    /**
     * Judges a read.
     *
     * @param index of the key
     * @param before what was acknowledged when the read was begun
     * @param read the value; null if there was none
     */
    Verdict judge(int index, long before, byte @Nullable [] read) {
        long last = begun.get(index);
        if (read == null) {
            return before == 0 || last / DELETE_EACH > (before - 1) / DELETE_EACH ? Verdict.RIGHT : Verdict.MISSING;
        }
        if (read.length < LEAST_BYTES) {
            return Verdict.WRONG;
        }
        long write = ByteBuffer.wrap(read).getLong();
        return write >= Math.max(1, before) && write <= last && Arrays.equals(read, value(index, write))
                ? Verdict.RIGHT : Verdict.WRONG;
    }

    /** Says what a value is, for a report of one that is wrong. */
    String describe(int index, long before, byte @Nullable [] read) {
        return key(index) + ": " + (read == null ? "nothing" : read.length < Long.BYTES
                ? "'" + new String(read, UTF_8) + "'" : "write " + ByteBuffer.wrap(read).getLong()) + ", acknowledged "
                + before + ", begun " + begun.get(index);
    }
}
