package io.reactorucx.engine;

import io.reactorucx.core.error.UcxException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An action that an engine repeats as long as there is something to do, by its timer.
 *
 * <p><b>Threading:</b> the engine's thread. <b>Ownership:</b> ends with the engine. <b>Errors:</b> what the action
 * throws is logged, and the action is repeated. Where the timer has no room, the task waits for the next
 * {@link #start()}.
 */
public final class PeriodicTask {

    private static final Logger LOG = LoggerFactory.getLogger(PeriodicTask.class);

    private final CommandExecutor engine;
    private final String name;
    private final BooleanSupplier action;
    private final boolean aligned;
    private long intervalNanos;
    private @Nullable Timeout timeout;

    /**
     * Creates a task that does not run yet.
     *
     * @param engine runs the action
     * @param name what does not happen without it, for the log
     * @param interval the time before each run, more than 0
     * @param action returns whether there is more to do
     */
    public PeriodicTask(CommandExecutor engine, String name, Duration interval, BooleanSupplier action) {
        this(engine, name, interval, action, false);
    }

    private PeriodicTask(CommandExecutor engine, String name, Duration interval, BooleanSupplier action,
            boolean aligned) {
        this.aligned = aligned;
        this.engine = Objects.requireNonNull(engine, "engine");
        this.name = Objects.requireNonNull(name, "name");
        this.action = Objects.requireNonNull(action, "action");
        interval(interval);
    }

    /**
     * Creates a task that runs at the multiples of its interval by the engine's clock: all such tasks of one interval
     * wake a sleeping engine once. The first run comes within the interval.
     *
     * @param engine runs the action
     * @param name what does not happen without it, for the log
     * @param interval the time between two runs, more than 0
     * @param action returns whether there is more to do
     * @return a task that does not run yet
     */
    public static PeriodicTask aligned(CommandExecutor engine, String name, Duration interval,
            BooleanSupplier action) {
        return new PeriodicTask(engine, name, interval, action, true);
    }

    /**
     * Sets the time before each run, from the next one on.
     *
     * @param interval more than 0
     */
    public void interval(Duration interval) {
        if (!Objects.requireNonNull(interval, "interval").isPositive()) {
            throw new IllegalArgumentException("interval " + interval + ": must be more than 0");
        }
        intervalNanos = interval.toNanos();
    }

    /** Runs the action after the interval, and again and again; does nothing while a run is to come. */
    public void start() {
        if (timeout != null) {
            return;
        }
        try {
            timeout = engine.schedule(delayNanos(), this::run);
        } catch (UcxException e) {
            LOG.debug("engine {}: {} does not run", engine.name(), name, e);
        }
    }

    private long delayNanos() {
        return aligned ? intervalNanos - Math.floorMod(engine.nanoTime(), intervalNanos) : intervalNanos;
    }

    private void run() {
        timeout = null;
        boolean more = true;
        try {
            more = action.getAsBoolean();
        } finally {
            if (more) {
                start();
            }
        }
    }

    /** Cancels the run that is to come. */
    public void stop() {
        if (timeout != null) {
            timeout.cancel();
            timeout = null;
        }
    }
}
