package io.reactorucx.transport.command;

import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs at WARN, at most once per second, what the application or a peer may cause again immediately. The lines that are
 * left out are logged at DEBUG, and counted in the next one.
 *
 * <p>Thread: any.
 */
public final class LimitedLog {

    private static final long PAUSE_NANOS = 1_000_000_000;

    private final BiConsumer<String, @Nullable Throwable> warn;
    private final BiConsumer<String, @Nullable Throwable> debug;
    private final LongSupplier nanoTime;
    private boolean used;
    private long lastNanos;
    private long suppressed;

    public LimitedLog(Logger log) {
        this(log::warn, log::debug, System::nanoTime);
    }

    /** Creates a log that writes to something else than a logger, by a clock of the caller's. */
    public LimitedLog(BiConsumer<String, @Nullable Throwable> warn, BiConsumer<String, @Nullable Throwable> debug,
            LongSupplier nanoTime) {
        this.warn = warn;
        this.debug = debug;
        this.nanoTime = nanoTime;
    }

    /** Logs a failure, with the stack of what was thrown if there is one. */
    public synchronized void warn(String what, @Nullable Throwable thrown) {
        long now = nanoTime.getAsLong();
        if (used && now - lastNanos < PAUSE_NANOS) {
            suppressed++;
            debug.accept(what, thrown);
            return;
        }
        warn.accept(suppressed == 0 ? what : what + "; " + suppressed + " more since the last warning", thrown);
        used = true;
        lastNanos = now;
        suppressed = 0;
    }
}
