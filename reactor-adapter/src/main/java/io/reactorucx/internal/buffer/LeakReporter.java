package io.reactorucx.internal.buffer;

import io.reactorucx.buffer.LeakDetection;
import io.reactorucx.internal.ucp.RendezvousOffer;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leaks of some resources: how closely is looked for them, how many there were, and what is said of them. Any
 * thread.
 */
public final class LeakReporter {

    static final int SAMPLED_ONE_IN = 128;

    private static final Logger LOG = LoggerFactory.getLogger(LeakReporter.class);
    private static final int REPORTS_IN_A_PERIOD = 10;
    private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LeakDetection level;
    private final BiConsumer<String, @Nullable LeakRecord> log;
    private final AtomicLong leases = new AtomicLong();
    private final AtomicLong messages = new AtomicLong();
    private long periodStart;
    private int reports;
    private long unsaid;

    public LeakReporter(LeakDetection level) {
        this(level, LOG::error);
    }

    public LeakReporter(LeakDetection level, BiConsumer<String, @Nullable LeakRecord> log) {
        this.level = level;
        this.log = log;
    }

    /** Whether the next lease is watched. */
    public boolean watchesNextLease() {
        return level.showsPlaces() || (level == LeakDetection.SIMPLE
                && ThreadLocalRandom.current().nextInt(SAMPLED_ONE_IN) == 0);
    }

    public boolean watchesOffers() {
        return level != LeakDetection.DISABLED;
    }

    /** Where this call comes from, if that is to be remembered. */
    public @Nullable LeakRecord place(String what) {
        return level.showsPlaces() ? new LeakRecord(what) : null;
    }

    public @Nullable LeakTrace history() {
        return level == LeakDetection.PARANOID ? new LeakTrace() : null;
    }

    void ofLease(long bytes, @Nullable LeakRecord allocated, @Nullable LeakTrace history) {
        long count = leases.incrementAndGet();
        if (mayReport()) {
            LeakRecord shown = allocated == null ? null : allocated.copy();
            if (shown != null && history != null) {
                history.describe(shown);
            }
            log.accept("LEAK: a lease of " + bytes
                    + " bytes was dropped without a release, and is taken back. Leaked leases so far: " + count
                    + (level == LeakDetection.SIMPLE ? ", of the one in " + SAMPLED_ONE_IN + " that is looked at. "
                    : ". ")
                    + where("allocated", shown), shown);
        }
    }

    public void ofOffer(RendezvousOffer offer, @Nullable LeakRecord subscribed) {
        long count = messages.incrementAndGet();
        if (mayReport()) {
            log.accept("LEAK: [" + offer.peer() + "] an active message " + offer.message()
                    .id() + " that offers " + offer.message().length()
                    + " bytes was dropped, neither fetched nor discarded, and is discarded. Leaked messages so far: "
                    + count + ". "
                    + where("received", subscribed), subscribed);
        }
    }

    private static String where(String what, @Nullable LeakRecord place) {
        return place == null ? "-D" + LeakDetection.PROPERTY + "=" + LeakDetection.ADVANCED.name()
                .toLowerCase(Locale.ROOT)
                + " tells the place" : "It was " + what + " at " + place.firstOutside();
    }

    /** Bounds the log: a leak seldom comes alone. */
    private synchronized boolean mayReport() {
        long now = System.nanoTime();
        if (reports == 0 || now - periodStart > PERIOD_NANOS) {
            if (unsaid > 0) {
                log.accept("LEAK: " + unsaid + " more leaks were not reported one by one", null);
            }
            periodStart = now;
            reports = 0;
            unsaid = 0;
        }
        boolean may = reports < REPORTS_IN_A_PERIOD;
        if (may) {
            reports++;
        } else {
            unsaid++;
        }
        return may;
    }

    public long leases() {
        return leases.get();
    }

    public long messages() {
        return messages.get();
    }
}
