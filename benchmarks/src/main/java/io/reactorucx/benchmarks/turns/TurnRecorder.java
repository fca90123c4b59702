package io.reactorucx.benchmarks.turns;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The figures of a client that is stopped and continued, turn by turn.
 *
 * <p>A process does not see the signals that stop and continue it. It sees that its clock jumps: where two operations
 * in a row end more than {@value #GAP_MILLIS} ms apart, a turn has ended with the first one. The operations under way
 * in that gap are left out, and so are those that begin in the first {@value #SETTLE_MILLIS} ms after it, in which the
 * other process continues, too, and the caches fill. A gap that is no stop would be left out in the same way, so each
 * turn is printed with the times of its begin and end: the program that stops the processes finds gaps within a turn
 * by them, and reports them as stalls.
 *
 * <p><b>Threading:</b> one thread at a time, except {@link #isOver}.
 */
public final class TurnRecorder {

    /** Printed when the warm-up is over: from then on the process may be stopped. */
    public static final String STARTED = "TURNS";
    /** Begins the line of a turn: begin, end, operations, median, 99th percentile and mean, all in nanoseconds. */
    public static final String TURN = "TURN ";

    static final long GAP_MILLIS = 50;
    static final long SETTLE_MILLIS = 5;

    private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(GAP_MILLIS);
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(SETTLE_MILLIS);
    private static final long HIGHEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 3;

    private final PrintStream out;
    private final Histogram times = new Histogram(HIGHEST_NANOS, DIGITS);
    private long settled;
    private long begin;
    private long last;
    private long operations;
    private volatile boolean over;

    /**
     * Creates a recorder.
     *
     * @param out the stream for the lines
     */
    public TurnRecorder(PrintStream out) {
        this.out = out;
    }

    /**
     * Creates a recorder that prints to the standard output, and is over when the standard input ends.
     *
     * @return the recorder
     */
    public static TurnRecorder ofStandardStreams() {
        TurnRecorder recorder = new TurnRecorder(System.out);
        Thread.ofPlatform().daemon().name("turns").start(() -> recorder.watch(System.in));
        return recorder;
    }

    private void watch(InputStream in) {
        try {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            System.err.println("standard input: " + e);
        }
        over = true;
    }

    /**
     * Whether the program should end. Thread: any.
     *
     * @return true after the standard input has ended
     */
    public boolean isOver() {
        return over;
    }

    /**
     * Begins with the first turn.
     *
     * @param nowNanos the present {@link System#nanoTime()}
     */
    public void start(long nowNanos) {
        beginTurn(nowNanos);
        out.println(STARTED);
    }

    private void beginTurn(long now) {
        settled = now + SETTLE_NANOS;
        begin = settled;
        last = now;
        operations = 0;
        times.reset();
    }

    /**
     * Records one timed operation.
     *
     * @param begunNanos its begin
     * @param nowNanos its end, now
     */
    public void operation(long begunNanos, long nowNanos) {
        if (nowNanos - last > GAP_NANOS) {
            endTurn();
            beginTurn(nowNanos);
            return;
        }
        last = nowNanos;
        if (begunNanos - settled >= 0) {
            if (operations == 0) {
                begin = begunNanos;
            }
            operations++;
            times.recordValue(Math.clamp(nowNanos - begunNanos, 0, HIGHEST_NANOS));
        }
    }

    /**
     * Records operations that are not timed.
     *
     * @param count number of those that have ended since the last call
     * @param nowNanos now
     */
    public void operations(long count, long nowNanos) {
        long before = last;
        if (nowNanos - before > GAP_NANOS) {
            endTurn();
            beginTurn(nowNanos);
            return;
        }
        last = nowNanos;
        if (before - settled >= 0) {
            operations += count;
        } else {
            begin = nowNanos;
        }
    }

    /** Prints the figures of a turn that has ended, unless nothing was recorded in it. */
    public void endTurn() {
        if (operations > 0) {
            boolean timed = times.getTotalCount() > 0;
            out.println(TURN + begin + " " + last + " " + operations + " " + (timed ? times.getValueAtPercentile(50)
                    + " " + times.getValueAtPercentile(99) + " " + Math.round(times.getMean()) : "0 0 0"));
        }
    }
}
