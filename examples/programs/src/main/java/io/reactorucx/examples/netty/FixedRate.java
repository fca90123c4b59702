package io.reactorucx.examples.netty;

import io.reactorucx.examples.DemoFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Calls at scheduled times, over the connections in turn. Each is timed from when it was due, so one that waits behind
 * a slow one counts as slow, too. The calling thread sleeps until the next call is due, and hands it to the
 * connection's loop.
 *
 * @param perSecond number of calls
 * @param connections number of connections
 */
public record FixedRate(int perSecond, int connections) implements Load {

    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final int DIGITS = 3;

    /** Checks the numbers. */
    public FixedRate {
        if (perSecond < 1 || connections < 1) {
            throw new IllegalArgumentException("perSecond " + perSecond + " and connections " + connections
                    + ": must be at least 1");
        }
    }

    @Override
    public Sample run(List<Caller> callers, Duration time) {
        Histogram times = new AtomicHistogram(HIGHEST_NANOS, DIGITS);
        BlockingQueue<Line> idle = new ArrayBlockingQueue<>(callers.size());
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        callers.forEach(each -> idle.add(new Line(each, idle, times, failure)));
        long calls = Math.max(1, Math.round(perSecond * (double) time.toNanos() / TimeUnit.SECONDS.toNanos(1)));
        long start = System.nanoTime();
        for (long i = 0; i < calls; i++) {
            long due = start + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(this, left);
            }
            next(idle, failure).call(due);
        }
        for (int i = 0; i < callers.size(); i++) {
            next(idle, failure);
        }
        check(failure.get());
        return new Sample(times, System.nanoTime() - start);
    }

    private static Line next(BlockingQueue<Line> idle, AtomicReference<@Nullable Throwable> failure) {
        try {
            Line line = idle.poll(Protocol.LIMIT.toNanos(), TimeUnit.NANOSECONDS);
            check(failure.get());
            if (line == null) {
                throw new DemoFailure("no answer within " + Protocol.LIMIT.toSeconds() + " s");
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailure("interrupted");
        }
    }

    static void check(@Nullable Throwable failure) {
        if (failure != null) {
            throw failure instanceof DemoFailure known ? known : new DemoFailure("a call failed: " + failure);
        }
    }

    /** A connection, which is among the idle ones when no call is under way. */
    private static final class Line implements Caller.Answer {

        private final Caller caller;
        private final BlockingQueue<Line> idle;
        private final Histogram times;
        private final AtomicReference<@Nullable Throwable> failure;
        private volatile long due;

        Line(Caller caller, BlockingQueue<Line> idle, Histogram times,
                AtomicReference<@Nullable Throwable> failure) {
            this.caller = caller;
            this.idle = idle;
            this.times = times;
            this.failure = failure;
        }

        void call(long nanos) {
            due = nanos;
            caller.call(this);
        }

        @Override
        public void arrived() {
            times.recordValue(Math.clamp(System.nanoTime() - due, 0, HIGHEST_NANOS));
            idle.add(this);
        }

        @Override
        public void failed(Throwable error) {
            failure.compareAndSet(null, error);
            idle.add(this);
        }
    }
}
