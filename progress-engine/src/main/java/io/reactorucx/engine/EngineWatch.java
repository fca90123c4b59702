package io.reactorucx.engine;

import io.reactorucx.engine.EngineHealth.State;
import io.reactorucx.engine.EngineHealth.UnderWay;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches engines from a thread of its own: an engine that is awake and makes no round for a threshold has stalled,
 * because a handler, a command or UCX blocks its thread. Shorter rounds cost nothing, and are not seen; a stall is
 * noticed within one and a half thresholds. An engine that sleeps, and a process that does not run, have not stalled.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the thread ends with {@link #close()}; the engines are the
 * caller's. <b>Errors:</b> what the observer throws is logged.
 */
public final class EngineWatch implements AutoCloseable {

    /** Default of the threshold. */
    public static final Duration DEFAULT_THRESHOLD = Duration.ofMillis(500);
    /** The name for stalls beyond the {@value #MAX_NAMES} names that are told apart. */
    public static final String OTHERS = "others";

    static final int MAX_NAMES = 64;

    private static final Logger LOG = LoggerFactory.getLogger(EngineWatch.class);
    private static final Duration LONGEST_THRESHOLD = Duration.ofHours(1);
    private static final int LOOKS_PER_THRESHOLD = 2;

    private final List<StallDetector> detectors;
    private final long intervalNanos;
    private final CountDownLatch closed = new CountDownLatch(1);

    private EngineWatch(List<StallDetector> detectors, long intervalNanos) {
        this.detectors = detectors;
        this.intervalNanos = intervalNanos;
    }

    /**
     * Starts to watch.
     *
     * @param engines the engines
     * @param threshold how long a round may take, 1 ms to 1 h; {@link Duration#ZERO} to look for no stalls
     * @param threads makes the thread
     * @param observer told of stalls on that thread
     * @return the watch, to be closed by the caller
     */
    public static EngineWatch start(List<ProgressEngine> engines, Duration threshold, ThreadFactory threads,
            EngineObserver observer) {
        checkThreshold(threshold);
        Objects.requireNonNull(threads, "threads");
        Objects.requireNonNull(observer, "observer");
        Objects.requireNonNull(engines, "engines").forEach(each -> Objects.requireNonNull(each, "engines"));
        EngineWatch watch = new EngineWatch(engines.stream()
                .map(engine -> new StallDetector(engine, threshold, observer, MAX_NAMES)).toList(),
                threshold.toNanos() / LOOKS_PER_THRESHOLD);
        if (!threshold.isZero()) {
            threads.newThread(watch::run).start();
        }
        return watch;
    }

    /**
     * Checks a threshold.
     *
     * @param threshold 1 ms to 1 h, or zero
     * @return the threshold
     */
    public static Duration checkThreshold(Duration threshold) {
        if (!Objects.requireNonNull(threshold, "threshold").isZero() && (threshold.compareTo(Duration.ofMillis(1)) < 0
                || threshold.compareTo(LONGEST_THRESHOLD) > 0)) {
            throw new IllegalArgumentException("stallThreshold " + threshold + ": must be 0 or in 1 ms.."
                    + LONGEST_THRESHOLD);
        }
        return threshold;
    }

    private void run() {
        long last = System.nanoTime();
        while (!awaitClose()) {
            long now = System.nanoTime();
            long nanos = counted(now - last, intervalNanos);
            last = now;
            for (StallDetector each : detectors) {
                look(each, nanos);
            }
        }
    }

    /**
     * Returns how much of the time since the last look counts. What has delayed a look may have delayed the engine as
     * well: a look that is a little late counts for less, and one that is later by an interval not at all, because the
     * process was stopped, collected garbage, or got no processor.
     */
    static long counted(long nanos, long intervalNanos) {
        return nanos > 2 * intervalNanos ? 0
                : Math.min(nanos, intervalNanos + intervalNanos / LOOKS_PER_THRESHOLD);
    }

    private boolean awaitClose() {
        try {
            return closed.await(intervalNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            LOG.warn("the watch of the engines was interrupted, and continues", e);
            return false;
        }
    }

    private static void look(StallDetector detector, long nanos) {
        try {
            detector.look(nanos);
        } catch (RuntimeException | Error e) {
            log(detector, e);
        }
    }

    /** Without memory the logger throws as well, and must not end the watch. */
    private static void log(StallDetector detector, Throwable thrown) {
        try {
            LOG.error("[{}] the observer of a stall threw", detector.engine().name(), thrown);
        } catch (RuntimeException | Error e) {
            // Nothing is left to report it to.
        }
    }

    /**
     * Returns how an engine is.
     *
     * @param index its index in the list that is watched
     * @param oldest what the caller knows to be under way for longest, null for nothing
     * @return its health now
     */
    public EngineHealth health(int index, @Nullable UnderWay oldest) {
        StallDetector detector = detectors.get(index);
        ProgressEngine engine = detector.engine();
        EngineStall stall = detector.current();
        State state = engine.isClosing() ? State.CLOSED : stall != null ? State.STALLED : State.RUNNING;
        UnderWay shown = switch (state) {
            case RUNNING -> oldest;
            case STALLED -> stall == null ? null : new UnderWay(stall.name(), null, stall.duration());
            case CLOSED -> null;
        };
        return new EngineHealth(engine.name(), state, shown, detector.stalls(),
                Duration.ofNanos(detector.longestNanos()), detector.byName(), engine.failure());
    }

    /** Ends the thread. What was counted stays. */
    @Override
    public void close() {
        closed.countDown();
    }
}
