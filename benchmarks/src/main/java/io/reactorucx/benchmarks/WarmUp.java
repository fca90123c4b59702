package io.reactorucx.benchmarks;

/**
 * The warm-up of every program here has several parts. HotSpot omits code that has never run, such as the end of a
 * measurement, from what it compiles; when that code runs, HotSpot discards the compiled code, interprets and compiles
 * again. After several ends and starts the measured code stays compiled.
 */
public final class WarmUp {

    /** Number of parts. Each runs like the measurement, and its figures are discarded. */
    public static final int PARTS = 4;

    /** Of the time of a part: what the compiler of a JVM uses for single methods that are compiled again. */
    private static final double LITTLE_TO_COMPILE = 0.1;

    private final long most;
    private long number;
    private int quiet;

    /**
     * Creates the warm-up of a program that goes on until there is little to compile: that takes longer where an
     * engine that spins and the compiler share a core.
     *
     * @param most as many parts at most, but at least {@value #PARTS}
     */
    public WarmUp(long most) {
        this.most = Math.max(PARTS, most);
    }

    /** {@return whether another part follows: until in {@value #PARTS} of them in a row little was compiled} */
    public boolean goesOn() {
        return number < PARTS || number < most && quiet < PARTS;
    }

    /**
     * A part has ended.
     *
     * @param nanos its duration
     * @param compiledNanos the time for which the JVM has compiled meanwhile, of several JVMs the longest
     */
    public void ended(long nanos, long compiledNanos) {
        number++;
        quiet = compiledNanos > LITTLE_TO_COMPILE * nanos ? 0 : quiet + 1;
    }
}
