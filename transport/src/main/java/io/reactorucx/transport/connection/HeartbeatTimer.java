package io.reactorucx.transport.connection;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.Timeout;
import io.reactorucx.transport.command.CoalescedCommand;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the heartbeats of all connections of one engine, with one timeout of the engine's own timer: no command that
 * waits for the engine delays a check, and an engine that hangs sends no PING.
 *
 * <p>Its two clocks advance with each check, so that noting the time of a message costs no system call. The clock of
 * active time leaves out the time in which this side did not run, stopped or busy: it receives what came meanwhile
 * before it reports a peer as lost.
 *
 * <p>Thread: engine, {@link #activeNanos()} any.
 */
public final class HeartbeatTimer {

    private static final int CHECKS_PER_INTERVAL = 8;

    private final Set<Heartbeat> watched = new LinkedHashSet<>();
    private final CommandExecutor engine;
    private final CoalescedCommand retry;
    private @Nullable Timeout timeout;
    private long periodNanos;
    private long nanos;
    private volatile long activeNanos;

    HeartbeatTimer(CommandExecutor engine) {
        this.engine = engine;
        this.nanos = engine.nanoTime();
        this.retry = CoalescedCommand.delayed(engine, this::schedule);
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

    /** Returns the time that this side has been running, as of the last check. Thread: any. */
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
            nanos = engine.nanoTime();
            schedule();
        }
    }

    private void schedule() {
        if (timeout != null || periodNanos == 0) {
            return;
        }
        try {
            timeout = engine.schedule(periodNanos, this::expired);
        } catch (UcxClosedException e) {
            // An engine that closes ends its connections by itself.
        } catch (UcxException e) {
            // As many timeouts are pending as may be.
            retry.submit();
        }
    }

    private void expired() {
        timeout = null;
        try {
            check(engine.nanoTime());
        } finally {
            schedule();
        }
    }

    public void check(long nowNanos) {
        if (watched.isEmpty()) {
            return;
        }
        long elapsed = Math.min(nowNanos - nanos, 2 * periodNanos);
        nanos = nowNanos;
        // Only this thread writes it.
        activeNanos = activeNanos + elapsed;
        List.copyOf(watched).forEach(heartbeat -> heartbeat.check(elapsed));
        if (!watched.isEmpty()) {
            adjust();
        }
    }

    /** Stops the checks, also when the engine is closed. */
    void stop() {
        if (timeout != null) {
            timeout.cancel();
            timeout = null;
        }
        periodNanos = 0;
    }
}
