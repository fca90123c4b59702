package io.reactorucx.benchmarks.rig;

/**
 * How long one measurement takes.
 *
 * @param warmupSeconds before
 * @param seconds measured
 * @param idleSeconds measured, where nothing is done
 */
record Timing(double warmupSeconds, double seconds, double idleSeconds) {

    /** For a machine that is slow or busy, and for programs that count instead of looking at a clock. */
    private static final long SPARE_SECONDS = 60;

    long limitSeconds() {
        return SPARE_SECONDS + 5 * (long) Math.ceil(warmupSeconds + seconds);
    }
}
