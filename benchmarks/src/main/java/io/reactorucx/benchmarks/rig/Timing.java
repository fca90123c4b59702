package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.rig.cases.Contender;
import java.util.concurrent.TimeUnit;

/**
 * The durations of measurements.
 *
 * @param warmupSeconds longest warm-up; shorter for programs without a JVM and for single layers
 * @param largeWarmupSeconds warm-up for operations of at least {@value #LARGE} bytes in a JVM
 * @param seconds duration of a measurement
 * @param idleSeconds duration of a measurement of an idle connection
 */
record Timing(double warmupSeconds, double largeWarmupSeconds, double seconds, double idleSeconds) {

    /** Longest time of a measurement, for slow or busy machines and for programs that run a number of messages. */
    private static final long SPARE_SECONDS = 60;
    /**
     * Size from which the warm-up is longer: there are few operations per second, so the code is compiled late, by
     * threads that use the engine's processor.
     */
    private static final int LARGE = 1 << 20;
    /** Warm-up of programs in C, which only connect. */
    private static final double WARMUP_IN_C = 0.05;
    /** Warm-up of a layer: a loop in one process, which is compiled early. */
    private static final double LITTLE_TO_COMPILE = 1;
    /** An idle connection is measured once its process compiles no more, half a minute after its start. */
    private static final double IDLE_WARMUP = 30;
    /** Ours goes on until the compilers have little to do, at most so many times the warm-up. */
    private static final double MOST_FOR_COMPILERS = 8;
    /** Start and end of a measurement, with the measurements of the machine before and after. */
    private static final double START_IN_C = 1;
    private static final double START_OF_JVM = 1;
    private static final double START_OF_JVMS = 3.5;

    /** The length of a turn: shorter than the time for which a host mostly keeps its speed. */
    private static final double TURN_SECONDS = 0.2;
    /** Turns whose figures are left out: in the first ones the code runs that a stop needs, and is compiled again. */
    private static final int FIRST_TURNS = 2;
    private static final int FEWEST_TURNS = 3;
    /** Operations at a low rate are few, and of a thousand one is beyond the 99.9th percentile. */
    private static final double LONGER_FOR_TAILS = 4;
    private static final int MOST_ROUNDS_OF_TAILS = 3;

    long turnNanos() {
        return (long) (TURN_SECONDS * TimeUnit.SECONDS.toNanos(1));
    }

    /** {@return the number of turns of a contender in a round that count} */
    int turns() {
        return Math.max(FEWEST_TURNS, (int) Math.round(seconds / TURN_SECONDS));
    }

    static int firstTurns() {
        return FIRST_TURNS;
    }

    double warmupOf(Contender contender) {
        return switch (contender.tool()) {
            case UCX_PERFTEST -> Math.min(warmupSeconds, WARMUP_IN_C);
            case IDLE -> IDLE_WARMUP;
            case LAYERS -> Math.min(warmupSeconds, LITTLE_TO_COMPILE);
            default -> contender.size() >= LARGE ? largeWarmupSeconds : warmupSeconds;
        };
    }

    /** {@return as long as the warm-up may go on while a JVM compiles: a fixed time may end in the middle of that} */
    double longestWarmupOf(Contender contender) {
        return MOST_FOR_COMPILERS * warmupOf(contender);
    }

    double secondsOf(Contender contender) {
        return contender.tool() == Contender.Tool.IDLE ? idleSeconds
                : contender.hasTails() ? LONGER_FOR_TAILS * seconds : seconds;
    }

    /**
     * {@return the number of measurements of a contender: one for allocations of a single thread and for an
     * idle connection, which no load of other contenders affects}
     */
    static int roundsOf(Contender contender, int rounds) {
        return contender.tool() == Contender.Tool.IDLE || contender.tool() == Contender.Tool.LAYERS ? 1
                : contender.hasTails() ? Math.min(rounds, MOST_ROUNDS_OF_TAILS) : rounds;
    }

    /** {@return the probable duration of a measurement, with the start and end of its processes} */
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
        return SPARE_SECONDS + 5 * (long) Math.ceil(MOST_FOR_COMPILERS * longestWarmup() + LONGER_FOR_TAILS * seconds);
    }
}
