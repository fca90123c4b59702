package io.reactorucx.benchmarks.perf;

import io.reactorucx.core.Ucx;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The parameters of a measurement, which both sides know.
 *
 * @param test the operation
 * @param mode the figure that the measurement looks for
 * @param size bytes of one operation
 * @param window operations in flight on a connection
 * @param connections how many connections
 * @param served whether memory is accessed by messages to its owner
 * @param buffers buffers that the payloads of a connection use in turn, on each side
 * @param fresh whether each payload is written before it is sent
 */
record Setup(PerfTest test, PerfMode mode, int size, int window, int connections, boolean served, int buffers,
        boolean fresh) {

    static final int MAX_SIZE = 64 << 20;
    static final int MAX_WINDOW = 65_536;
    static final int MAX_CONNECTIONS = 10_000;

    /** Tests that take each payload anew from the application. */
    private static final Set<PerfTest> FRESH = EnumSet.of(PerfTest.MESSAGE, PerfTest.DUPLEX, PerfTest.REQUEST);
    private static final int PARTS = 8;

    Setup {
        range("size", size, 1, MAX_SIZE);
        range("window", window, 1, MAX_WINDOW);
        range("connections", connections, 1, MAX_CONNECTIONS);
        range("buffers", buffers, 1, MAX_WINDOW);
        if (test.isAtomic() && size != Integer.BYTES && size != Long.BYTES) {
            throw new PerfLimit("--size " + size + ": atomic operations have words of 4 or 8 bytes");
        }
        if (test == PerfTest.DUPLEX && mode == PerfMode.LATENCY) {
            throw new PerfLimit("--test duplex: --mode latency: must be bandwidth or rate");
        }
        if (fresh && (mode != PerfMode.BANDWIDTH || !FRESH.contains(test))) {
            throw new PerfLimit("--fresh: only for " + FRESH + " with --mode bandwidth");
        }
        if (served && !test.usesMemory()) {
            throw new PerfLimit("--served: only for put, get, fadd, swap and cswap, not for " + test);
        }
    }

    private static void range(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new PerfLimit("--" + option + " " + value + ": must be in " + min + ".." + max);
        }
    }

    /** Throws PerfLimit when the UCX of this side cannot run the test. */
    void checkHere(boolean peerErrors) {
        if (test.isAtomic() && !served && peerErrors && Ucx.version().isAtLeast(1, 16)) {
            throw new PerfLimit("--test " + test + ": UCX " + Ucx.version()
                    + " has no atomic operations where failures of the peer are noticed; --error-mode none or --served"
                    + " has");
        }
    }

    /** Whether peers access memory by UCX's own operations. */
    boolean isOneSided() {
        return test.usesMemory() && !served;
    }

    /** The parameters as words, for {@link #ofLine}. */
    String toLine() {
        return String.format(Locale.ROOT, "%s %s %d %d %d %b %d %b", test, mode, size, window, connections, served,
                buffers, fresh);
    }

    static Setup ofLine(String line) {
        String[] parts = line.split(" ");
        if (parts.length != PARTS) {
            throw new PerfLimit("a test that is not understood: " + line);
        }
        try {
            return new Setup(PerfTest.valueOf(parts[0].toUpperCase(Locale.ROOT)),
                    PerfMode.valueOf(parts[1].toUpperCase(Locale.ROOT)), Integer.parseInt(parts[2]),
                    Integer.parseInt(parts[3]), Integer.parseInt(parts[4]), Boolean.parseBoolean(parts[5]),
                    Integer.parseInt(parts[6]), Boolean.parseBoolean(parts[7]));
        } catch (IllegalArgumentException e) {
            throw new PerfLimit("a test that is not understood: " + line);
        }
    }
}
