package io.reactorucx.benchmarks.rig;

/**
 * How long measurements take.
 *
 * @param warmupSeconds before; what has no JVM, or is a single layer, takes less
 * @param largeWarmupSeconds before operations of {@value #LARGE} bytes and more in a JVM
 * @param seconds measured
 * @param idleSeconds measured, where nothing is done
 */
record Timing(double warmupSeconds, double largeWarmupSeconds, double seconds, double idleSeconds) {

    /** For a machine that is slow or busy, and for programs that count instead of looking at a clock. */
    private static final long SPARE_SECONDS = 60;
    /**
     * There are few of them in a second, so that they are compiled late, by threads that take the engine's processor
     * meanwhile.
     */
    private static final int LARGE = 1 << 20;
    /** What is in C needs to make its connection, and no more. */
    private static final double WARMUP_IN_C = 0.05;
    /** A layer is a loop of its own in one process, which is compiled soon. */
    private static final double LITTLE_TO_COMPILE = 1;
    /** With what is measured of the machine before and after. */
    private static final double START_IN_C = 1;
    private static final double START_OF_JVM = 1;
    private static final double START_OF_JVMS = 3.5;

    double warmupOf(Contender contender) {
        return switch (contender.tool()) {
            case UCX_PERFTEST -> Math.min(warmupSeconds, WARMUP_IN_C);
            case IDLE -> 2;
            case LAYERS -> Math.min(warmupSeconds, LITTLE_TO_COMPILE);
            default -> contender.size() >= LARGE ? largeWarmupSeconds : warmupSeconds;
        };
    }

    double secondsOf(Contender contender) {
        return contender.tool() == Contender.Tool.IDLE ? idleSeconds : seconds;
    }

    /**
     * {@return how many times a contender is measured: allocation in one thread and a connection at rest have nobody to
     * take turns with}
     */
    static int roundsOf(Contender contender, int rounds) {
        return contender.tool() == Contender.Tool.IDLE || contender.tool() == Contender.Tool.LAYERS ? 1 : rounds;
    }

    /** {@return how long one measurement probably takes, with its processes' start and end} */
    double estimateOf(Contender contender) {
        double start = switch (contender.tool()) {
            case UCX_PERFTEST -> START_IN_C;
            case LAYERS -> START_OF_JVM;
            default -> START_OF_JVMS;
        };
        return start + warmupOf(contender) + secondsOf(contender);
    }

    double longestWarmup() {
        return Math.max(warmupSeconds, largeWarmupSeconds);
    }

    long limitSeconds() {
        return SPARE_SECONDS + 5 * (long) Math.ceil(longestWarmup() + seconds);
    }
}
