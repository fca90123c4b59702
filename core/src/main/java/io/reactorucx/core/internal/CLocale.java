package io.reactorucx.core.internal;

import io.reactorucx.core.ffi.UcpCompat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * Runs native calls with the calling thread's decimal point set to a full stop.
 *
 * <p>UCX reads its own defaults with {@code sscanf("%lf")}: where the process has a locale with a decimal comma, as the
 * JVM takes it from the environment, {@code "0.06ns"} fails to parse and contexts cannot be made. The thread's locale
 * is put back afterwards, so that no other code of the process sees a change.
 */
public final class CLocale {

    private static final MemorySegment NUMERIC = newLocale();

    private CLocale() {
    }

    private static MemorySegment newLocale() {
        try (Arena arena = Arena.ofConfined()) {
            return UcpCompat.newlocale(UcpCompat.LC_NUMERIC_MASK, arena.allocateFrom("C"), MemorySegment.NULL);
        }
    }

    public static <T> T call(Supplier<T> nativeCalls) {
        if (NUMERIC.address() == 0) {
            return nativeCalls.get();
        }
        MemorySegment before = UcpCompat.uselocale(NUMERIC);
        try {
            return nativeCalls.get();
        } finally {
            UcpCompat.uselocale(before);
        }
    }

}
