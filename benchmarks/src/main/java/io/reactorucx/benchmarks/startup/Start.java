package io.reactorucx.benchmarks.startup;

import io.reactorucx.benchmarks.process.MeasurementFailure;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The times and the rate of one client. Times count from the start of its process.
 *
 * @param firstReplyMillis until its first reply
 * @param steadyMillis until the end of the first interval with at least {@link #SHARE} of the steady rate
 * @param steadyRate replies per second: the median of the intervals in the second half
 */
record Start(double firstReplyMillis, double steadyMillis, double steadyRate) {

    static final double SHARE = 0.9;
    private static final double MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    /**
     * Reads the figures of a client.
     *
     * @param startNanos when its process was started, by the clock that all processes of a host share
     * @param line its {@link ReplyCounts}
     */
    static Start of(long startNanos, String line) {
        String[] fields = line.split(" ");
        long first = Long.parseLong(fields[0]);
        long interval = Long.parseLong(fields[1]);
        long[] counts = Arrays.stream(fields[2].split(",")).mapToLong(Long::parseLong).toArray();
        long[] late = Arrays.stream(counts, counts.length / 2, counts.length).sorted().toArray();
        double steady = (late[(late.length - 1) / 2] + late[late.length / 2]) / 2.0;
        if (steady == 0) {
            throw new MeasurementFailure("no replies in half of the later intervals");
        }
        int reached = 0;
        while (counts[reached] < SHARE * steady) {
            reached++;
        }
        return new Start((first - startNanos) / MILLI, (first + (reached + 1) * interval - startNanos) / MILLI,
                steady * SECOND / interval);
    }
}
