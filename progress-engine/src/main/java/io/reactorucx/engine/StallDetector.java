package io.reactorucx.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the stalls of one engine from what the engine publishes anyway: the number of its rounds, and whether it
 * sleeps. An engine that is awake and makes no round for the threshold has stalled; what its thread does at that moment
 * tells why. The engine itself does nothing for it.
 *
 * <p>Thread: {@link #look} the watch's, everything else any.
 */
final class StallDetector {

    private final ProgressEngine engine;
    private final long thresholdNanos;
    private final EngineObserver observer;
    private final int maxNames;
    private final Map<String, Long> byName = new ConcurrentHashMap<>();
    private long seenRounds = -1;
    private long awakeNanos;
    private volatile @Nullable EngineStall current;
    private volatile long stalls;
    private volatile long longestNanos;

    StallDetector(ProgressEngine engine, Duration threshold, EngineObserver observer, int maxNames) {
        this.engine = engine;
        this.thresholdNanos = threshold.toNanos();
        this.observer = observer;
        this.maxNames = maxNames;
    }

    ProgressEngine engine() {
        return engine;
    }

    /**
     * Looks at the engine.
     *
     * @param nanos the time since the last look, as far as it counts: see {@link EngineWatch#counted}
     */
    void look(long nanos) {
        long rounds = engine.counters().steps();
        Thread awake = engine.isClosed() ? null : engine.awakeThread();
        if (awake == null || rounds != seenRounds) {
            seenRounds = rounds;
            awakeNanos = 0;
            ended();
            return;
        }
        awakeNanos += nanos;
        if (awakeNanos >= thresholdNanos) {
            stalled(awake);
        }
    }

    private void stalled(Thread thread) {
        EngineStall stall = current;
        Duration duration = Duration.ofNanos(awakeNanos);
        if (stall == null) {
            EngineStall begun = stallOf(thread, duration);
            if (begun == null) {
                return;
            }
            if (begun.isWithin(EngineSleep.class)) {
                // The thread was woken and has not run since: it has had nothing to do for all that time.
                awakeNanos = 0;
                return;
            }
            current = begun;
            count(begun);
            observer.engineStalled(engine, begun);
        } else if (stall.isOfEngine() && hasCalledApplication(thread)) {
            // The thread got no processor, and has called a handler since: what that takes is another stall.
            ended();
            awakeNanos = 0;
            return;
        } else {
            current = stall.lasting(duration);
        }
        longestNanos = Math.max(longestNanos, awakeNanos);
    }

    private boolean hasCalledApplication(Thread thread) {
        EngineStall now = stallOf(thread, Duration.ZERO);
        return now != null && !now.isOfEngine();
    }

    /** Returns what the thread does in the round that was seen, null when the engine has gone on meanwhile. */
    private @Nullable EngineStall stallOf(Thread thread, Duration duration) {
        StackTraceElement[] stack = thread.getStackTrace();
        return engine.counters().steps() == seenRounds ? EngineStall.of(stack, duration) : null;
    }

    /** Counts a stall by its name, as long as there are few names. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
    void count(EngineStall stall) {
        stalls = stalls + 1;
        String name = byName.containsKey(stall.name()) || byName.size() < maxNames ? stall.name() : EngineWatch.OTHERS;
        byName.merge(name, 1L, Long::sum);
    }

    /** The engine has gone on, sleeps, or has closed. */
    void ended() {
        EngineStall stall = current;
        if (stall != null) {
            current = null;
            observer.stallEnded(engine, stall);
        }
    }

    @Nullable EngineStall current() {
        return current;
    }

    long stalls() {
        return stalls;
    }

    long longestNanos() {
        return longestNanos;
    }

    /** Returns the number of stalls by what has blocked the engine. */
    Map<String, Long> byName() {
        return Map.copyOf(byName);
    }
}
