package io.reactorucx.transport.buffer;

import io.reactorucx.transport.command.SharedTimer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of a pool whose memory stays leased: when a subscriber has waited for memory for long, or when a request of a
 * peer was refused for want of memory. It warns once, and again only after half of the pool was free. A usual cause is
 * a responder that does not release its requests.
 *
 * <p>A look costs nothing while no subscriber waits. Thread: any.
 */
public final class MemoryWatch {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int LOOKS_PER_LIMIT = 4;

    private final Supplier<@Nullable Waiter> firstWaiter;
    private final Supplier<String> leased;
    private long limitNanos = LIMIT.toNanos();
    private Consumer<String> log = LOG::warn;
    private @Nullable Future<?> nextLook;
    private volatile boolean warned;

    /**
     * Creates a watch.
     *
     * @param firstWaiter returns what has waited longest, null for none
     * @param leased tells what the application holds
     */
    MemoryWatch(Supplier<@Nullable Waiter> firstWaiter, Supplier<String> leased) {
        this.firstWaiter = firstWaiter;
        this.leased = leased;
    }

    /** What has waited longest, and how many others wait behind it. */
    record Waiter(String name, long bytes, long sinceNanos, int others) {
    }

    /** Sets after what time, and where, it warns. */
    public synchronized void configure(Duration limit, Consumer<String> warnings) {
        limitNanos = limit.toNanos();
        log = warnings;
    }

    /** A subscriber waits. */
    synchronized void waiting() {
        if (nextLook == null) {
            nextLook = SharedTimer.schedule(limitNanos / LOOKS_PER_LIMIT, this::look);
        }
    }

    private void look() {
        Waiter first = firstWaiter.get();
        synchronized (this) {
            nextLook = null;
        }
        if (first == null) {
            return;
        }
        long limit = limitNanos();
        if (System.nanoTime() - first.sinceNanos() >= limit) {
            warn(first.name() + " has waited " + TimeUnit.NANOSECONDS.toMillis(limit) + " ms for " + first.bytes()
                    + " bytes, and " + first.others() + " others wait behind it");
        }
        waiting();
    }

    private synchronized long limitNanos() {
        return limitNanos;
    }

    /** A request was refused, because there was no memory for it. */
    public void refused(String request) {
        warn(request + " was refused");
    }

    private void warn(String what) {
        Consumer<String> to;
        synchronized (this) {
            if (warned) {
                return;
            }
            warned = true;
            to = log;
        }
        to.accept("buffer pool: " + what + ": the application holds " + leased.get()
                + ". It has to release each lease once: a responder its requests, a receiver its messages, also when"
                + " they fail or are cancelled. LeakDetection.PARANOID reports where lost leases were"
                + " taken; maxBufferBytes(..) sets the limit");
    }

    /** Half of the pool is free. */
    void recovered() {
        if (warned) {
            synchronized (this) {
                warned = false;
            }
        }
    }
}
