package io.reactorucx.benchmarks.perf;

import java.util.Locale;

/** A measured operation. */
enum PerfTest {
    /** Active messages. */
    AM(true, Memory.NONE),
    /** Tagged messages. */
    TAG(true, Memory.NONE),
    /** The byte stream. */
    STREAM(true, Memory.NONE),
    /** Messages with credits, from a publisher to a subscriber. */
    MESSAGE(true, Memory.NONE),
    /** Messages in both directions at once, of which those to the server count. */
    DUPLEX(true, Memory.NONE),
    /** Request and response. */
    REQUEST(false, Memory.NONE),
    /** Writes of remote memory. */
    PUT(false, Memory.BYTES),
    /** Reads of remote memory. */
    GET(false, Memory.BYTES),
    /** Atomic addition that returns the old value. */
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

    /** Whether an operation is one way, so that the time of a round trip is halved. */
    boolean isOneWay() {
        return oneWay;
    }

    /** Whether the operation accesses memory of the server. */
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
