package io.reactorucx.core;

/**
 * A feature that a context is made for ({@code ucp_feature}); an operation whose feature was not asked for is refused.
 */
public enum UcpFeature {
    /** Tag matching. */
    TAG(1L),
    /** Put and get. Lets every connected peer read and write this process where the transport only emulates them. */
    RMA(1L << 1),
    /** Atomics on 4 bytes; the same trust as {@link #RMA}. */
    AMO32(1L << 2),
    /** Atomics on 8 bytes; the same trust as {@link #RMA}. */
    AMO64(1L << 3),
    /** Event file descriptor, so that a worker can sleep. */
    WAKEUP(1L << 4),
    /** Byte streams. */
    STREAM(1L << 5),
    /** Active messages. */
    AM(1L << 6),
    /** Memory handles that other processes import, from UCX 1.14 on. */
    EXPORTED_MEMH(1L << 7);

    private final long bit;

    UcpFeature(long bit) {
        this.bit = bit;
    }

    long bit() {
        return bit;
    }
}
