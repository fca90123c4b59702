package io.reactorucx.benchmarks.rig;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Prints the current measurement, and how long the remaining ones will take by the duration of those that have ended.
 */
final class Progress {

    private final PrintStream out;
    private final int all;
    private double left;
    private final long start = System.nanoTime();
    private int begun;
    private double estimateOfDone;

    /**
     * Starts the work.
     *
     * @param out the stream for the lines
     * @param all number of measurements
     * @param estimate probable duration of all in seconds
     */
    Progress(PrintStream out, int all, double estimate) {
        this.out = out;
        this.all = all;
        this.left = estimate;
    }

    void begin(String what, int round) {
        begun++;
        out.printf(Locale.ROOT, "[%d of %d, %s left] %s, round %d%n", begun, all, text(secondsLeft()), what, round);
    }

    void done(double estimated) {
        estimateOfDone += estimated;
        left -= estimated;
    }

    /** A measurement has to be repeated. */
    void again(double estimated) {
        begun--;
        left += estimated;
    }

    /** A measurement is left out. */
    void leaveOut(double estimated) {
        begun++;
        left -= estimated;
    }

    double secondsGone() {
        return (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    double secondsLeft() {
        return secondsFor(left);
    }

    /** {@return the probable duration of what was estimated, at the pace of what has been done} */
    double secondsFor(double estimated) {
        return (estimateOfDone == 0 ? 1 : secondsGone() / estimateOfDone) * estimated;
    }

    /** {@return minutes and seconds} */
    static String text(double seconds) {
        long whole = Math.round(Math.max(0, seconds));
        return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
    }
}
