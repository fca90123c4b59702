package io.reactorucx.uct;

/** How memory is allocated ({@code uct_alloc_method_t}). */
public enum UctAllocationMethod {
    /** From the C library, with transparent huge pages. */
    THP,
    /** By a memory domain, so that it is registered with it. */
    MD,
    /** From the C library. */
    HEAP,
    /** From the operating system, by {@code mmap}. */
    MMAP,
    /** Huge pages. */
    HUGE;

    static UctAllocationMethod of(int code) {
        return values()[code];
    }

    int code() {
        return ordinal();
    }
}
