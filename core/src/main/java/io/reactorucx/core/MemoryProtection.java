package io.reactorucx.core;

/**
 * An access that mapped memory may be used for ({@code ucp_mem_map_prot_t}); a hint that UCX 1.13 ignores, and that no
 * emulated access checks.
 */
public enum MemoryProtection {
    /** Operations of this process read it. */
    LOCAL_READ(1),
    /** Operations of this process write it. */
    LOCAL_WRITE(1 << 1),
    /** Peers read it. */
    REMOTE_READ(1 << 8),
    /** Peers write it. */
    REMOTE_WRITE(1 << 9);

    private final int bit;

    MemoryProtection(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }
}
