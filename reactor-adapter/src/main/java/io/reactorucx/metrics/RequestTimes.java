package io.reactorucx.metrics;

import io.reactorucx.message.RequestStatistics;
import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * The times of one engine's requests: count and sum for each outcome, and a histogram for each side. The engine records
 * without a lock, a fence or an allocation; percentiles are made when they are asked for.
 *
 * <p>Thread: {@link #record} the engine's, everything else any.
 */
final class RequestTimes implements RequestStatistics.Recorder {

    private static final long MIN_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int OUTCOMES = Outcome.values().length;

    private final AtomicLongArray counts = new AtomicLongArray(Side.values().length * OUTCOMES);
    private final AtomicLongArray nanos = new AtomicLongArray(counts.length());
    private final Interval client;
    private final Interval server;

    RequestTimes() {
        this(MIN_INTERVAL_NANOS);
    }

    /**
     * Creates empty times.
     *
     * @param intervalNanos percentiles are of no shorter time than this
     */
    RequestTimes(long intervalNanos) {
        client = new Interval(intervalNanos);
        server = new Interval(intervalNanos);
    }

    /** The histogram of the last interval that has ended, and the recorder of the next one. */
    private static final class Interval {

        private static final long MAX_VALUE = TimeUnit.HOURS.toNanos(1);
        private static final int DIGITS = 2;
        private static final double PERCENT = 100;

        private final long minNanos;
        private final SingleWriterRecorder recorder = new SingleWriterRecorder(1, MAX_VALUE, DIGITS);
        private Histogram ended = recorder.getIntervalHistogram();
        private long endedAt = System.nanoTime();

        Interval(long minNanos) {
            this.minNanos = minNanos;
        }

        void add(long value) {
            recorder.recordValue(Math.clamp(value, 1, MAX_VALUE));
        }

        /** All percentiles of one scrape are of the same interval, since the next one has just begun. */
        synchronized double percentile(double phi) {
            long now = System.nanoTime();
            if (now - endedAt >= minNanos) {
                ended = recorder.getIntervalHistogram(ended);
                endedAt = now;
            }
            return ended.getTotalCount() == 0 ? 0 : ended.getValueAtPercentile(PERCENT * phi);
        }
    }

    @Override
    public void record(Side side, Outcome outcome, long time) {
        int index = index(side, outcome);
        counts.setOpaque(index, counts.getPlain(index) + 1);
        nanos.setOpaque(index, nanos.getPlain(index) + time);
        interval(side).add(time);
    }

    private static int index(Side side, Outcome outcome) {
        return side.ordinal() * OUTCOMES + outcome.ordinal();
    }

    private Interval interval(Side side) {
        return side == Side.CLIENT ? client : server;
    }

    long count(Side side, Outcome outcome) {
        return counts.getOpaque(index(side, outcome));
    }

    long nanos(Side side, Outcome outcome) {
        return nanos.getOpaque(index(side, outcome));
    }

    /** Returns a percentile in nanoseconds, 0 while there is none; {@code phi} is 0 to 1. */
    double percentile(Side side, double phi) {
        return interval(side).percentile(phi);
    }
}
