package io.reactorucx.benchmarks.peers;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Times one round trip after the other: as soon as the last one is back, or at a fixed rate. At a fixed rate each is timed from when it ought
 * to have been sent, so that one that is late makes those behind it late, as it would for callers that do not wait for each other.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class RoundTrips {

    private static final long HIGHEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 3;

    private final PeerOptions options;
    private final boolean oneWay;
    private final long intervalNanos;
    private final Histogram histogram = new Histogram(HIGHEST_NANOS, DIGITS);
    private long phaseEnd;
    private boolean measuring;
    private long intended;
    private long measureStart;
    private long measureEnd;
    private ResourceUse atStart = new ResourceUse(0, 0);
    private ResourceUse atEnd = new ResourceUse(0, 0);

    RoundTrips(PeerOptions options, boolean oneWay) {
        this.options = options;
        this.oneWay = oneWay;
        this.intervalNanos = options.rate() == 0 ? 0 : Math.max(1, (long) (TimeUnit.SECONDS.toNanos(1) / options.rate()));
    }

    /** The first is sent now. */
    void start() {
        intended = System.nanoTime();
        phaseEnd = intended + options.warmupNanos();
    }

    /** {@return whether another one is to be sent now, after one has come back} */
    boolean replied() {
        long now = System.nanoTime();
        if (measuring) {
            histogram.recordValue(Math.min(Math.max(now - intended, 0), HIGHEST_NANOS));
        }
        if (now - phaseEnd >= 0) {
            return nextPhase(now);
        }
        if (intervalNanos == 0) {
            intended = now;
        } else {
            intended += intervalNanos;
            while (System.nanoTime() - intended < 0) {
                Thread.onSpinWait();
            }
        }
        return true;
    }

    private boolean nextPhase(long now) {
        if (measuring) {
            measureEnd = now;
            atEnd = ResourceUse.now();
            return false;
        }
        measuring = true;
        atStart = ResourceUse.now();
        measureStart = System.nanoTime();
        phaseEnd = measureStart + options.nanos();
        intended = measureStart;
        return true;
    }

    Figures figures() {
        return new Figures(options, histogram.getTotalCount(), measureEnd - measureStart, histogram, oneWay, atEnd.since(atStart));
    }
}
