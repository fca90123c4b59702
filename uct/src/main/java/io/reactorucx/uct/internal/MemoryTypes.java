package io.reactorucx.uct.internal;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.core.UcxVersion;
import java.util.Set;

/**
 * The numbers of memory types: UCX numbers the unknown type one past the last one that it knows, so that depends on its
 * version.
 */
public final class MemoryTypes {

    private MemoryTypes() {
    }

    /** How many types a version knows, which is its number for the unknown one. */
    public static int count(UcxVersion version) {
        if (version.isAtLeast(1, 21)) {
            return UcxMemoryType.UNKNOWN.ordinal();
        }
        if (version.isAtLeast(1, 17)) {
            return UcxMemoryType.GAUDI.ordinal();
        }
        return version.isAtLeast(1, 16) ? UcxMemoryType.ZE_HOST.ordinal() : UcxMemoryType.RDMA.ordinal();
    }

    public static UcxMemoryType of(int code, UcxVersion version) {
        return code >= 0 && code < count(version) ? UcxMemoryType.values()[code] : UcxMemoryType.UNKNOWN;
    }

    public static UcxMemoryType of(int code) {
        return of(code, Ucx.version());
    }

    public static Set<UcxMemoryType> ofMask(long mask) {
        return Bits.decode(UcxMemoryType.class, mask & (1L << count(Ucx.version())) - 1, Enum::ordinal);
    }

    /** Returns whether the loaded library has a number for it. */
    public static boolean isKnown(UcxMemoryType type) {
        return type.ordinal() < count(Ucx.version());
    }
}
