package io.reactorucx.examples.netty;

import io.reactorucx.examples.DemoFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Connections with some calls under way, each of which is followed by another as soon as it has ended.
 *
 * @param connections number of connections
 * @param underWay number of calls at a time on each connection
 */
record ClosedLoop(int connections, int underWay) implements Load {

    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final int DIGITS = 3;

    @Override
    public Sample run(List<Caller> callers, Duration time) {
        return new Run(callers, underWay, time).sample();
    }

    private static final class Run implements CallChain.Observer {

        private final List<Caller> callers;
        private final int underWay;
        private final long start = System.nanoTime();
        private final long end;
        private final Duration limit;
        private final Histogram times = new AtomicHistogram(HIGHEST_NANOS, DIGITS);
        private final CountDownLatch left;
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Run(List<Caller> callers, int underWay, Duration time) {
            this.callers = callers;
            this.underWay = underWay;
            this.end = start + time.toNanos();
            this.limit = time.plus(Protocol.LIMIT);
            this.left = new CountDownLatch(callers.size() * underWay);
        }

        Sample sample() {
            for (Caller each : callers) {
                for (int i = 0; i < underWay; i++) {
                    CallChain.start(each, this);
                }
            }
            boolean ended;
            try {
                ended = left.await(limit.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DemoFailure("interrupted");
            }
            FixedRate.check(failure.get());
            if (!ended) {
                throw new DemoFailure("no answer within " + Protocol.LIMIT.toSeconds() + " s");
            }
            return new Sample(times, System.nanoTime() - start);
        }

        @Override
        public boolean answered(long begunNanos, long endedNanos) {
            times.recordValue(Math.clamp(endedNanos - begunNanos, 0, HIGHEST_NANOS));
            if (endedNanos - end >= 0 || failure.get() != null) {
                left.countDown();
                return false;
            }
            return true;
        }

        @Override
        public void failed(Throwable error) {
            failure.compareAndSet(null, error);
            left.countDown();
        }
    }
}
