package io.reactorucx.uct;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.uct.internal.Bits;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** How memory is allocated or registered, and what may be done with it ({@code enum uct_md_mem_flags}). */
public enum UctMemoryFlag {
    /** Pages may be mapped when they are first used. */
    NONBLOCK(0),
    /** The memory has to be exactly at the address that is given. */
    FIXED(1),
    /** Keep the pages in memory. */
    LOCK(2),
    /** UCX does not log a failed registration. */
    HIDE_ERRORS(3),
    /** Peers may put. */
    ACCESS_REMOTE_PUT(5),
    /** Peers may get. */
    ACCESS_REMOTE_GET(6),
    /** Peers may use atomics. */
    ACCESS_REMOTE_ATOMIC(7),
    /** This side may read. */
    ACCESS_LOCAL_READ(8),
    /** This side may write. */
    ACCESS_LOCAL_WRITE(9),
    /** The remote key should be equal to those of other peers, so that one serves for all; since UCX 1.16. */
    SYMMETRIC_RKEY(10);

    private static final Set<UctMemoryFlag> ALL_ACCESS =
            Set.copyOf(EnumSet.range(ACCESS_REMOTE_PUT, ACCESS_LOCAL_WRITE));
    private static final Set<UctMemoryFlag> RMA_ACCESS = Set.of(ACCESS_REMOTE_PUT, ACCESS_REMOTE_GET, ACCESS_LOCAL_READ,
            ACCESS_LOCAL_WRITE);

    private final int bit;

    UctMemoryFlag(int bit) {
        this.bit = bit;
    }

    /** {@return local and remote access for all operations ({@code UCT_MD_MEM_ACCESS_ALL})} */
    public static Set<UctMemoryFlag> accessAll() {
        return ALL_ACCESS;
    }

    /** {@return local and remote access for put and get ({@code UCT_MD_MEM_ACCESS_RMA})} */
    public static Set<UctMemoryFlag> accessRma() {
        return RMA_ACCESS;
    }

    /** Throws unless some access is asked for, without which UCX refuses. */
    static Set<UctMemoryFlag> checked(Set<UctMemoryFlag> flags) {
        Set<UctMemoryFlag> copy = Set.copyOf(Objects.requireNonNull(flags, "flags"));
        if (copy.stream().noneMatch(ALL_ACCESS::contains)) {
            throw new IllegalArgumentException("flags " + copy + ": at least one of " + ALL_ACCESS + " is needed");
        }
        return copy;
    }

    /** The flags in C's form, for a library that has them all. */
    static int mask(Set<UctMemoryFlag> flags, String operation) {
        if (flags.contains(SYMMETRIC_RKEY) && !Ucx.version().isAtLeast(1, 16)) {
            throw new UcxUnsupportedException(operation, "SYMMETRIC_RKEY came with UCX 1.16, this is " + Ucx.version());
        }
        return (int) Bits.encode(flags, flag -> flag.bit);
    }
}
