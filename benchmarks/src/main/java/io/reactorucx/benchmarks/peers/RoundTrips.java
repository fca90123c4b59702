package io.reactorucx.benchmarks.peers;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Times one round trip after the other: as soon as the last one is back, or at a fixed rate. At a fixed rate each is
 * timed from when it ought to have been sent, so that one that is late makes those behind it late, as it would for
 * callers that do not wait for each other.
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
    private int warmupPartsLeft;
    private long phaseStart;
    /** When it is to end, and then when it did. */
    private long phaseEnd;
    private long intended;
    private ResourceUse atStart = new ResourceUse(0, 0);
    private ResourceUse atEnd = new ResourceUse(0, 0);

    RoundTrips(PeerOptions options, boolean oneWay) {
        this.options = options;
        this.oneWay = oneWay;
        this.intervalNanos = options.rate() == 0 ? 0
                : Math.max(1, (long) (TimeUnit.SECONDS.toNanos(1) / options.rate()));
    }

    /** The first is sent now. */
    void start() {
        warmupPartsLeft = options.warmupParts();
        begin();
    }

    /** A part of the warm-up is measured as well, by the same code, and forgotten here. */
    private void begin() {
        histogram.reset();
        atStart = ResourceUse.now();
        phaseStart = System.nanoTime();
        phaseEnd = phaseStart + (warmupPartsLeft > 0 ? options.warmupPartNanos() : options.nanos());
        intended = phaseStart;
    }

    /** {@return whether another one is to be sent now, after one has come back} */
    boolean replied() {
        long now = System.nanoTime();
        histogram.recordValue(Math.min(Math.max(now - intended, 0), HIGHEST_NANOS));
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
        phaseEnd = now;
        atEnd = ResourceUse.now();
        if (warmupPartsLeft == 0) {
            return false;
        }
        warmupPartsLeft--;
        begin();
        return true;
    }

    Figures figures() {
        return new Figures(options, histogram.getTotalCount(), phaseEnd - phaseStart, histogram, oneWay,
                atEnd.since(atStart));
    }
}
