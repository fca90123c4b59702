package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.ucx_h;
import java.util.Objects;
import java.util.Set;

/** How UCX may treat one operation ({@code UCP_OP_ATTR_FLAG_*}). */
public enum RequestFlag {
    /** The completion is always called, also for an operation that ends within the call. */
    NO_IMMEDIATE_COMPLETION(ucx_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL()),
    /** A hint: release the memory soon, rather than send without a copy. */
    FAST_COMPLETION(ucx_h.UCP_OP_ATTR_FLAG_FAST_CMPL()),
    /** A hint: many such operations follow, throughput matters more than latency. */
    MULTI_SEND(ucx_h.UCP_OP_ATTR_FLAG_MULTI_SEND()),
    /** Refuse the operation as {@link UcxStatus#NO_RESOURCE} unless it ends within the call. */
    FORCE_IMMEDIATE_COMPLETION(ucx_h.UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL()),
    /** Let UCX find out where the memory is, instead of taking it for the host's. */
    DETECT_MEMORY_TYPE(0),
    /**
     * Keep UCX's request in memory of this process that was set aside for the operation's slot, instead of in UCX's
     * pool.
     */
    USER_REQUEST(0);

    private final int bit;

    RequestFlag(int bit) {
        this.bit = bit;
    }

    /** Copies the set before anything is checked: a set of any class might change between check and use. */
    static Set<RequestFlag> copy(Set<RequestFlag> flags) {
        return Set.copyOf(Objects.requireNonNull(flags, "flags"));
    }

    /** The bits of some flags. Throws for flags that contradict each other, which UCX accepts. */
    static int bits(Set<RequestFlag> flags) {
        exclude(flags, FAST_COMPLETION, MULTI_SEND);
        exclude(flags, NO_IMMEDIATE_COMPLETION, FORCE_IMMEDIATE_COMPLETION);
        int bits = 0;
        for (RequestFlag flag : flags) {
            bits |= flag.bit;
        }
        return bits;
    }

    private static void exclude(Set<RequestFlag> flags, RequestFlag one, RequestFlag other) {
        if (flags.contains(one) && flags.contains(other)) {
            throw new IllegalArgumentException("flags " + one + " and " + other + ": exclude each other");
        }
    }
}
