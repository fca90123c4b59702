package io.reactorucx.uct;

import io.reactorucx.uct.internal.Bits;
import java.util.Set;

/** A capability of a memory domain ({@code UCT_MD_FLAG_*}). */
public enum UctMdFlag {
    /** Allocates memory. */
    ALLOC(0),
    /** Registers memory. */
    REG(1),
    /** Its transports need a local memory handle for zero-copy operations. */
    NEED_MEMH(2),
    /** Its transports need a remote key for remote memory operations. */
    NEED_RKEY(3),
    /** Takes advice on the use of memory. */
    ADVISE(4),
    /** Allocates memory at an address that the caller chooses. */
    FIXED(5),
    /** Gives pointers to remote memory. Since UCX 1.14 the component says so, by {@link UctComponentFlag#RKEY_PTR}. */
    RKEY_PTR(6),
    /** Connects clients and servers by socket addresses. */
    SOCKADDR(7),
    /** Invalidates memory, so that remote accesses to it fail. */
    INVALIDATE(8),
    /** Exports memory keys to another process that uses the same device; since UCX 1.14. */
    EXPORTED_MKEY(9),
    /** Registers memory by a dmabuf file descriptor; since UCX 1.14. */
    REG_DMABUF(10);

    private final int bit;

    UctMdFlag(int bit) {
        this.bit = bit;
    }

    static Set<UctMdFlag> of(long mask) {
        return Bits.decode(UctMdFlag.class, mask, flag -> flag.bit);
    }
}
