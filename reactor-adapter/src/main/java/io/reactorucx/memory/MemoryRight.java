package io.reactorucx.memory;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An operation that peers may do on an exported window of memory. */
public enum MemoryRight {
    /** Get. */
    READ(1),
    /** Put. */
    WRITE(2),
    /** Atomic operations, which read and write a word. */
    ATOMIC(4);

    private static final int ALL = 7;

    /** Part of the descriptor's layout. */
    private final int bit;

    MemoryRight(int bit) {
        this.bit = bit;
    }

    /** Returns the bits of a descriptor. */
    static int bits(Set<MemoryRight> rights) {
        return rights.stream().mapToInt(right -> right.bit).sum();
    }

    /** Returns the rights of a descriptor, or null when the bits are invalid. */
    static @Nullable Set<MemoryRight> of(int bits) {
        if (bits < 1 || bits > ALL) {
            return null;
        }
        EnumSet<MemoryRight> rights = EnumSet.allOf(MemoryRight.class);
        rights.removeIf(right -> (bits & right.bit) == 0);
        return Set.copyOf(rights);
    }
}
