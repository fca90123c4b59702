package io.reactorucx.uct;

import io.reactorucx.uct.internal.Bits;
import java.util.Set;

/** A feature that a component offers beside memory domains ({@code UCT_COMPONENT_FLAG_*}). */
public enum UctComponentFlag {
    /** A connection manager. */
    CM(0),
    /** Direct pointers to remote memory. Reported since UCX 1.14; before, {@link UctMdFlag#RKEY_PTR} says so. */
    RKEY_PTR(1);

    private final int bit;

    UctComponentFlag(int bit) {
        this.bit = bit;
    }

    static Set<UctComponentFlag> of(long mask) {
        return Bits.decode(UctComponentFlag.class, mask, flag -> flag.bit);
    }
}
