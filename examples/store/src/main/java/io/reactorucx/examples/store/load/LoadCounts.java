package io.reactorucx.examples.store.load;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Counts the outcomes of requests, and their times in all and since the times were last asked for. Threading: any
 * thread.
 */
final class LoadCounts {

    private static final int SIGNIFICANT_DIGITS = 3;

    private final Recorder recorder = new Recorder(SIGNIFICANT_DIGITS);
    private final Histogram all = new Histogram(SIGNIFICANT_DIGITS);
    private final LongAdder answered = new LongAdder();
    private final LongAdder retryable = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final LongAdder missing = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final AtomicInteger underWay = new AtomicInteger();

    /**
     * Sums.
     *
     * @param answered requests that were answered
     * @param retryable requests that failed with an error that says so
     * @param failed requests that failed otherwise
     * @param wrong answers with a value that the key cannot have had
     * @param missing answers without a value that the key had
     * @param late requests that ended after their deadline
     * @param underWay requests that have not ended
     */
    record Sums(long answered, long retryable, long failed, long wrong, long missing, long late, int underWay) {
    }

    void begun() {
        underWay.incrementAndGet();
    }

    void ended(long nanos, long deadlineNanos) {
        underWay.decrementAndGet();
        recorder.recordValue(Math.max(0, nanos));
        if (nanos > deadlineNanos) {
            late.increment();
        }
    }

    void answered() {
        answered.increment();
    }

    void retryable() {
        retryable.increment();
    }

    void failed() {
        failed.increment();
    }

    void judged(KeyModel.Verdict verdict) {
        switch (verdict) {
            case RIGHT -> { }
            case WRONG -> wrong.increment();
            case MISSING -> missing.increment();
        }
    }

    Sums sums() {
        return new Sums(answered.sum(), retryable.sum(), failed.sum(), wrong.sum(), missing.sum(), late.sum(),
                underWay.get());
    }

    /** Returns the times since the last call, in ns. */
    synchronized Histogram interval() {
        Histogram interval = recorder.getIntervalHistogram();
        all.add(interval);
        return interval;
    }

    /** Returns all times up to the last {@link #interval()}, in ns. */
    synchronized Histogram all() {
        return all.copy();
    }

    static double millis(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
}
