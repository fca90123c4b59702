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
 * Checks the heartbeats of all connections of one engine, with one timer.
 *
 * <p>Its two clocks advance with each check, so that noting the time of a message costs no system call. The clock of
 * active time leaves out the time in which this side did not run, stopped or busy: it receives what came meanwhile
 * before it reports a peer as lost.
 *
 * <p>Thread: engine.
 */
public final class HeartbeatTimer {

    private static final int CHECKS_PER_INTERVAL = 8;

    private final Set<Heartbeat> watched = new LinkedHashSet<>();
    private final CoalescedCommand check;
    private @Nullable Disposable timer;
    private long periodNanos;
    private long nanos = System.nanoTime();
    private long activeNanos;

    HeartbeatTimer(ProgressEngine engine) {
        this.check = new CoalescedCommand(engine, () -> check(System.nanoTime()));
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

    /** Returns the time of the last check. */
    public long nanos() {
        return nanos;
    }

    /** Returns the time that this side has been running, as of the last check. */
    public long activeNanos() {
        return activeNanos;
    }

    public int watched() {
        return watched.size();
    }

    /** Adapts the timer to the shortest interval. */
    private void adjust() {
        long shortest = watched.stream().mapToLong(Heartbeat::intervalNanos).min().orElse(0);
        long wanted = shortest / CHECKS_PER_INTERVAL;
        if (wanted != periodNanos) {
            stop();
            periodNanos = wanted;
            nanos = System.nanoTime();
            timer = Schedulers.parallel().schedulePeriodically(check::submit, wanted, wanted, TimeUnit.NANOSECONDS);
        }
    }

    public void check(long nowNanos) {
        if (watched.isEmpty()) {
            return;
        }
        long elapsed = Math.min(nowNanos - nanos, 2 * periodNanos);
        nanos = nowNanos;
        activeNanos += elapsed;
        List.copyOf(watched).forEach(heartbeat -> heartbeat.check(elapsed));
        if (!watched.isEmpty()) {
            adjust();
        }
    }

    /** Stops the checks, also when the engine is closed. */
    void stop() {
        if (timer != null) {
            timer.dispose();
            timer = null;
        }
        periodNanos = 0;
    }
}
