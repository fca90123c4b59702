package io.reactorucx.core.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.reactorucx.core.DataPlacement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Native memory that is read and written by its address. A segment finds out at each access what kind it is and whose;
 * here that is known, and an access checks bounds, the arena and whether the memory may be written.
 *
 * <p><b>Threading:</b> any thread, none of which closes the arena meanwhile. <b>Ownership:</b> the memory stays with
 * its arena; that of an automatic one is kept reachable by the caller. <b>Errors:</b>
 * {@link IndexOutOfBoundsException}, {@link IllegalStateException} after the arena was closed,
 * {@link IllegalArgumentException} for a write of read-only memory.
 */
public final class NativeBytes implements DataPlacement.Source {

    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final VarHandle WORD = JAVA_LONG.varHandle();
    private static final ValueLayout.OfLong BIG_ENDIAN = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** Moves bytes. */
    private static final VarHandle WORD_OF_ARRAY = MethodHandles.byteArrayViewVarHandle(long[].class,
            ByteOrder.nativeOrder());
    /** As much is copied word by word: a bulk copy of so few bytes is mostly checks and calls. */
    private static final int MAX_WORDS_BYTES = 64;

    private final MemorySegment memory;
    private final MemorySegment.Scope scope;
    private final long address;
    private final long size;

    /**
     * Takes native memory.
     *
     * @param memory the memory
     */
    public NativeBytes(MemorySegment memory) {
        if (!Objects.requireNonNull(memory, "memory").isNative() || memory.address() == 0) {
            throw new IllegalArgumentException("memory " + memory + ": must be native");
        }
        this.memory = memory;
        this.scope = memory.scope();
        this.address = memory.address();
        this.size = memory.byteSize();
    }

    /**
     * Lends native memory: whoever keeps what this returns can use it until the arena is closed, and no longer.
     *
     * @param memory the memory, alive until then
     * @param arena what the loan ends with; a confined one keeps other threads out, too
     * @return the same memory, to read
     */
    public static MemorySegment lend(MemorySegment memory, Arena arena) {
        return Objects.requireNonNull(memory, "memory").reinterpret(Objects.requireNonNull(arena, "arena"), null)
                .asReadOnly();
    }

    /** {@return the memory} */
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public long size() {
        return size;
    }

    private long at(long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > size - bytes) {
            throw new IndexOutOfBoundsException(bytes + " bytes at " + offset + ": must lie in " + size + " bytes");
        }
        if (!scope.isAlive()) {
            throw new IllegalStateException("the arena of these " + size + " bytes is closed");
        }
        return address + offset;
    }

    private long toWrite(long offset, long bytes) {
        if (memory.isReadOnly()) {
            throw new IllegalArgumentException("these " + size + " bytes are read-only");
        }
        return at(offset, bytes);
    }

    /**
     * Reads a number; what is read afterwards is read later.
     *
     * @param offset where it is, a multiple of 8
     * @return the number
     */
    public long getAcquire(long offset) {
        return (long) WORD.getAcquire(ALL, at(offset, Long.BYTES));
    }

    /**
     * Writes a number after all that this thread has written before.
     *
     * @param offset where, a multiple of 8
     * @param value the number
     */
    public void setRelease(long offset, long value) {
        WORD.setRelease(ALL, toWrite(offset, Long.BYTES), value);
    }

    /**
     * Reads a number.
     *
     * @param offset where it is
     * @return the number
     */
    public long get(long offset) {
        return ALL.get(JAVA_LONG_UNALIGNED, at(offset, Long.BYTES));
    }

    /**
     * Reads a number whose first byte is the highest.
     *
     * @param offset where it is
     * @return the number
     */
    public long getBigEndian(long offset) {
        return ALL.get(BIG_ENDIAN, at(offset, Long.BYTES));
    }

    /**
     * Writes a number.
     *
     * @param offset where
     * @param value the number
     */
    public void set(long offset, long value) {
        ALL.set(JAVA_LONG_UNALIGNED, toWrite(offset, Long.BYTES), value);
    }

    /**
     * Copies into this memory.
     *
     * @param from what is copied, of any kind
     * @param offset where to
     */
    public void copyFrom(MemorySegment from, long offset) {
        long bytes = from.byteSize();
        long to = toWrite(offset, bytes);
        if (bytes >= Long.BYTES && bytes <= MAX_WORDS_BYTES) {
            long last = bytes - Long.BYTES;
            for (long done = 0; done < last; done += Long.BYTES) {
                ALL.set(JAVA_LONG_UNALIGNED, to + done, from.get(JAVA_LONG_UNALIGNED, done));
            }
            // Overlaps the one before where the size is no multiple of a word.
            ALL.set(JAVA_LONG_UNALIGNED, to + last, from.get(JAVA_LONG_UNALIGNED, last));
        } else if (bytes > 0) {
            MemorySegment.copy(from, 0, ALL, to, bytes);
        }
    }

    /**
     * Copies the first bytes of an array into this memory.
     *
     * @param from the array
     * @param bytes how many, 0 to its length
     * @param offset where to
     */
    public void copyFrom(byte[] from, int bytes, long offset) {
        Objects.checkFromIndexSize(0, bytes, Objects.requireNonNull(from, "from").length);
        long to = toWrite(offset, bytes);
        if (bytes >= Long.BYTES && bytes <= MAX_WORDS_BYTES) {
            int last = bytes - Long.BYTES;
            for (int done = 0; done < last; done += Long.BYTES) {
                ALL.set(JAVA_LONG_UNALIGNED, to + done, (long) WORD_OF_ARRAY.get(from, done));
            }
            ALL.set(JAVA_LONG_UNALIGNED, to + last, (long) WORD_OF_ARRAY.get(from, last));
        } else {
            MemorySegment.copy(from, 0, ALL, JAVA_BYTE, to, bytes);
        }
    }

    @Override
    public void copyTo(long offset, byte[] to, int bytes) {
        long from = at(offset, bytes);
        if (bytes >= Long.BYTES && bytes <= MAX_WORDS_BYTES) {
            int last = bytes - Long.BYTES;
            for (int done = 0; done < last; done += Long.BYTES) {
                WORD_OF_ARRAY.set(to, done, ALL.get(JAVA_LONG_UNALIGNED, from + done));
            }
            WORD_OF_ARRAY.set(to, last, ALL.get(JAVA_LONG_UNALIGNED, from + last));
        } else {
            MemorySegment.copy(ALL, JAVA_BYTE, from, to, 0, bytes);
        }
    }

    @Override
    public void copyTo(long offset, MemorySegment to, long bytes) {
        MemorySegment.copy(ALL, at(offset, bytes), to, 0, bytes);
    }
}
