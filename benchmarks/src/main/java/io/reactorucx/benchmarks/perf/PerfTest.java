package io.reactorucx.benchmarks.perf;

import java.util.Locale;

/** An operation that is measured. */
enum PerfTest {
    /** Active messages. */
    AM(true, Memory.NONE),
    /** Tagged messages. */
    TAG(true, Memory.NONE),
    /** The byte stream. */
    STREAM(true, Memory.NONE),
    /** Messages with credits, from a publisher to a subscriber. */
    MESSAGE(true, Memory.NONE),
    /** Request and response. */
    REQUEST(false, Memory.NONE),
    /** Writes of remote memory. */
    PUT(false, Memory.BYTES),
    /** Reads of remote memory. */
    GET(false, Memory.BYTES),
    /** Atomic addition with the old value as its answer. */
    FADD(false, Memory.WORD),
    /** Atomic swap. */
    SWAP(false, Memory.WORD),
    /** Atomic compare and swap. */
    CSWAP(false, Memory.WORD);

    private enum Memory { NONE, BYTES, WORD }

    private final boolean oneWay;
    private final Memory memory;

    PerfTest(boolean oneWay, Memory memory) {
        this.oneWay = oneWay;
        this.memory = memory;
    }

    /** Whether a round trip is two operations, and its time is divided by two. */
    boolean isOneWay() {
        return oneWay;
    }

    /** Whether it works on memory of the server. */
    boolean usesMemory() {
        return memory != Memory.NONE;
    }

    boolean isAtomic() {
        return memory == Memory.WORD;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
