package io.reactorucx.uct.internal;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.ToIntFunction;

/** Sets of constants as C has them: a bit each. */
public final class Bits {

    private Bits() {
    }

    /** The constants whose bit is set; bits that newer libraries may set are left out. */
    public static <E extends Enum<E>> Set<E> decode(Class<E> type, long mask, ToIntFunction<E> bit) {
        EnumSet<E> set = EnumSet.noneOf(type);
        for (E constant : type.getEnumConstants()) {
            if ((mask >>> bit.applyAsInt(constant) & 1) != 0) {
                set.add(constant);
            }
        }
        return Collections.unmodifiableSet(set);
    }

    public static <E extends Enum<E>> long encode(Set<E> set, ToIntFunction<E> bit) {
        long mask = 0;
        for (E constant : set) {
            mask |= 1L << bit.applyAsInt(constant);
        }
        return mask;
    }
}
