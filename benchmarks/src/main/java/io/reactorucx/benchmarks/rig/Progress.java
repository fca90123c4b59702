package io.reactorucx.benchmarks.rig;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Says which measurement is under way and how long the others will take, judged by how long those before have taken.
 */
final class Progress {

    private final PrintStream out;
    private final int all;
    private double left;
    private final long start = System.nanoTime();
    private int begun;
    private double estimateOfDone;

    /**
     * Begins.
     *
     * @param out where it is said
     * @param all how many measurements there will be
     * @param estimate how many seconds they will probably take
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

    /** One that was done has to be done once more. */
    void again(double estimated) {
        begun--;
        left += estimated;
    }

    /** One is not going to be measured. */
    void leaveOut(double estimated) {
        begun++;
        left -= estimated;
    }

    double secondsGone() {
        return (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    double secondsLeft() {
        double pace = estimateOfDone == 0 ? 1 : secondsGone() / estimateOfDone;
        return pace * left;
    }

    /** {@return minutes and seconds} */
    static String text(double seconds) {
        long whole = Math.round(Math.max(0, seconds));
        return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
    }
}
