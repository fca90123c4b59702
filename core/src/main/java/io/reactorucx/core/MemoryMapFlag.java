package io.reactorucx.core;

import org.jspecify.annotations.Nullable;

/** How memory is mapped ({@code UCP_MEM_MAP_*}). */
public enum MemoryMapFlag {
    /** The mapping may be made sooner than its pages; they follow on first use, or by {@link UcpMemory#advise}. */
    NONBLOCK(1, null),
    /** UCX allocates the memory. */
    ALLOCATE(1 << 1, null),
    /** UCX allocates exactly at the given address. Only with {@link #ALLOCATE}. */
    FIXED(1 << 2, null),
    /** The pages stay in memory, from UCX 1.18 on. Not with {@link #NONBLOCK}. */
    LOCK(1 << 4, UcpCapability.MEMORY_LOCK),
    /** Remote keys of all processes may be one and the same, from UCX 1.16 on. */
    SYMMETRIC_RKEY(1 << 3, UcpCapability.MEMORY_SYMMETRIC_KEY);

    private final int bit;
    private final @Nullable UcpCapability capability;

    MemoryMapFlag(int bit, @Nullable UcpCapability capability) {
        this.bit = bit;
        this.capability = capability;
    }

    int bit() {
        return bit;
    }

    /** Throws where the loaded library would silently ignore the flag. */
    void requireSupport() {
        if (capability != null) {
            capability.inLibrary().require("ucp_mem_map with " + this);
        }
    }
}
