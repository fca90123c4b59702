package io.reactorucx.benchmarks.peers;

import io.reactorucx.benchmarks.turns.TurnRecorder;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Times one round trip after the other: each starts when the last one ends, or at a fixed rate. At a fixed rate each is
 * timed from its scheduled start, so that a late round trip delays those behind it, as it would for independent
 * callers.
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
    /** A thread that sleeps between requests at a fixed rate. */
    private final ExecutorService sender = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("peer-timer").factory());
    private @Nullable TurnRecorder turns;
    private int warmupPartsLeft;
    private long phaseStart;
    /** The planned end of the part, then its real end. */
    private long phaseEnd;
    private volatile long intended;
    private ResourceUse atStart = new ResourceUse(0, 0);
    private ResourceUse atEnd = new ResourceUse(0, 0);

    RoundTrips(PeerOptions options, boolean oneWay) {
        this.options = options;
        this.oneWay = oneWay;
        this.intervalNanos = options.rate() == 0 ? 0
                : Math.max(1, (long) (TimeUnit.SECONDS.toNanos(1) / options.rate()));
    }

    /** Starts a part; the caller sends the first request now. */
    void start() {
        warmupPartsLeft = options.warmupParts();
        begin();
    }

    /** Each part of the warm-up is measured by the same code; its figures are discarded here. */
    private void begin() {
        histogram.reset();
        atStart = ResourceUse.now();
        phaseStart = System.nanoTime();
        if (warmupPartsLeft == 0 && options.turns()) {
            turns = TurnRecorder.ofStandardStreams();
            turns.start(phaseStart);
        }
        phaseEnd = phaseStart + (warmupPartsLeft > 0 ? options.warmupPartNanos() : options.nanos());
        intended = phaseStart;
    }

    /**
     * Called after each reply by peers whose callers are not the thread that receives it.
     *
     * @param send sends the next request: now, or at a fixed rate from a thread that sleeps until it is due, as in
     * {@code perf} with a wait strategy that sleeps
     * @param end runs instead when there is no next request
     */
    void replied(Runnable send, Runnable end) {
        if (!record(System.nanoTime())) {
            end.run();
        } else if (intervalNanos == 0 || intended - System.nanoTime() <= 0) {
            send.run();
        } else {
            sender.execute(() -> {
                for (long left = intended - System.nanoTime(); left > 0; left = intended - System.nanoTime()) {
                    LockSupport.parkNanos(this, left);
                }
                send.run();
            });
        }
    }

    /** {@return whether the caller sends another request now; called after each reply} */
    boolean replied() {
        boolean more = record(System.nanoTime());
        while (more && intervalNanos > 0 && System.nanoTime() - intended < 0) {
            Thread.onSpinWait();
        }
        return more;
    }

    /** Returns whether there is another request, and sets its intended time. */
    private boolean record(long now) {
        histogram.recordValue(Math.min(Math.max(now - intended, 0), HIGHEST_NANOS));
        if (turns != null) {
            turns.operation(intended, now);
        }
        if (now - phaseEnd >= 0 || turns != null && turns.isOver()) {
            return nextPhase(now);
        }
        intended = intervalNanos == 0 ? now : intended + intervalNanos;
        return true;
    }

    private boolean nextPhase(long now) {
        phaseEnd = now;
        atEnd = ResourceUse.now();
        if (warmupPartsLeft == 0) {
            if (turns != null) {
                turns.endTurn();
            }
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
