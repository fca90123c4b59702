package io.reactorucx.internal.connection;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * Looks after the signs of life of all connections of one engine, with one timer. On the engine's thread.
 *
 * <p>Its clocks stand still between two looks, so that to note a message costs no look at the time. The one by which
 * peers are given up also leaves out what this side was away itself, stopped or busy: after that, all that has come
 * meanwhile is taken first.
 */
public final class HeartbeatTimer {

    private static final int LOOKS_PER_INTERVAL = 8;

    private final Set<Heartbeat> watched = new LinkedHashSet<>();
    private final CoalescedCommand look;
    private @Nullable Disposable timer;
    private long periodNanos;
    private long nanos = System.nanoTime();
    private long activeNanos;

    HeartbeatTimer(ProgressEngine engine) {
        this.look = new CoalescedCommand(engine, () -> lookAt(System.nanoTime()));
    }

    void add(Heartbeat heartbeat) {
        watched.add(heartbeat);
        adjust();
    }

    void remove(Heartbeat heartbeat) {
        if (watched.remove(heartbeat) && watched.isEmpty()) {
            stop();
        }
    }

    /** The time, as of the last look. */
    public long nanos() {
        return nanos;
    }

    /** The time in which this side was there to hear, as of the last look. */
    public long activeNanos() {
        return activeNanos;
    }

    public int watched() {
        return watched.size();
    }

    /** Makes the timer fit the shortest interval. */
    private void adjust() {
        long shortest = watched.stream().mapToLong(Heartbeat::intervalNanos).min().orElse(0);
        long wanted = shortest / LOOKS_PER_INTERVAL;
        if (wanted != periodNanos) {
            stop();
            periodNanos = wanted;
            nanos = System.nanoTime();
            timer = Schedulers.parallel().schedulePeriodically(look::submit, wanted, wanted, TimeUnit.NANOSECONDS);
        }
    }

    public void lookAt(long nowNanos) {
        if (watched.isEmpty()) {
            return;
        }
        long elapsed = Math.min(nowNanos - nanos, 2 * periodNanos);
        nanos = nowNanos;
        activeNanos += elapsed;
        List.copyOf(watched).forEach(heartbeat -> heartbeat.look(elapsed));
        if (!watched.isEmpty()) {
            adjust();
        }
    }

    /** No more looks; the engine may be closed. */
    void stop() {
        if (timer != null) {
            timer.dispose();
            timer = null;
        }
        periodNanos = 0;
    }
}
