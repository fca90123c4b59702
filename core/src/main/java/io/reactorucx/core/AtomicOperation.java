package io.reactorucx.core;

import io.reactorucx.core.ffi.ucx_h;

/** An atomic operation on a word of a peer's memory ({@code ucp_atomic_op_t}). */
public enum AtomicOperation {
    /** Adds the operand; overflow wraps. */
    ADD(ucx_h.UCP_ATOMIC_OP_ADD(), true),
    /** Replaces the word; always returns the old value. */
    SWAP(ucx_h.UCP_ATOMIC_OP_SWAP(), false),
    /** Replaces the word if it has an expected value; always returns the old value. */
    COMPARE_AND_SWAP(ucx_h.UCP_ATOMIC_OP_CSWAP(), false),
    /** Bitwise and. */
    AND(ucx_h.UCP_ATOMIC_OP_AND(), true),
    /** Bitwise or. */
    OR(ucx_h.UCP_ATOMIC_OP_OR(), true),
    /** Bitwise exclusive or. */
    XOR(ucx_h.UCP_ATOMIC_OP_XOR(), true);

    private final int code;
    private final boolean postable;

    AtomicOperation(int code, boolean postable) {
        this.code = code;
        this.postable = postable;
    }

    int code() {
        return code;
    }

    /** Returns whether it works without a reply: a swap without a reply aborts this process or the owner's. */
    boolean isPostable() {
        return postable;
    }
}
