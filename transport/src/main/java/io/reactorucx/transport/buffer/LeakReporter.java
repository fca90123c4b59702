package io.reactorucx.transport.buffer;

import io.reactorucx.transport.LeakDetection;
import io.reactorucx.transport.event.FlightEvents;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs the leaks of some resources, and decides by their {@link LeakDetection} what is watched and recorded.
 * Any thread.
 */
public final class LeakReporter {

    /** {@link LeakDetection#SIMPLE} watches one lease of so many. */
    static final int SAMPLING_INTERVAL = 128;

    private static final Logger LOG = LoggerFactory.getLogger(LeakReporter.class);
    private static final int MAX_REPORTS_IN_A_PERIOD = 10;
    private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LeakDetection level;
    private final BiConsumer<String, @Nullable LeakRecord> log;
    private final AtomicLong leases = new AtomicLong();
    private final AtomicLong messages = new AtomicLong();
    private long periodStart;
    private int reports;
    private long unreported;

    public LeakReporter(LeakDetection level) {
        this(level, LOG::error);
    }

    /** Reports to a consumer instead of the log. */
    public LeakReporter(LeakDetection level, BiConsumer<String, @Nullable LeakRecord> log) {
        this.level = level;
        this.log = log;
    }

    /** Returns the level of the system property, {@link LeakDetection#SIMPLE} without one. */
    public static LeakDetection defaultLevel() {
        String name = System.getProperty(LeakDetection.PROPERTY, LeakDetection.SIMPLE.name());
        try {
            return LeakDetection.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("system property " + LeakDetection.PROPERTY + " " + name
                    + ": must be one of " + Arrays.toString(LeakDetection.values()), e);
        }
    }

    private boolean recordsPlaces() {
        return level.compareTo(LeakDetection.ADVANCED) >= 0;
    }

    /** Returns whether to watch the next lease. */
    boolean watchesNextLease() {
        return recordsPlaces() || (level == LeakDetection.SIMPLE
                && ThreadLocalRandom.current().nextInt(SAMPLING_INTERVAL) == 0);
    }

    /** Returns whether to watch offered messages. */
    public boolean watchesOffers() {
        return level != LeakDetection.DISABLED;
    }

    /** Records the place of this call. Returns null where places are not recorded. */
    public @Nullable LeakRecord place(String what) {
        return recordsPlaces() ? new LeakRecord(what) : null;
    }

    /** Returns a trace for a lease, or null where none is kept. */
    @Nullable LeakTrace trace() {
        return level == LeakDetection.PARANOID ? new LeakTrace() : null;
    }

    /** Counts and reports a leaked lease. */
    void leaseLeaked(long bytes, @Nullable LeakRecord allocated, List<LeaseOrigin> origins,
            @Nullable LeakTrace trace) {
        long count = leases.incrementAndGet();
        LeaseOrigin first = origins.isEmpty() ? null : origins.getFirst();
        FlightEvents.leaked("lease", first == null ? null : first.peer(), bytes);
        if (mayReport()) {
            LeakRecord place = first != null && first.place() != null ? first.place() : allocated;
            LeakRecord shown = place == null ? null : place.copy();
            if (shown != null && trace != null) {
                trace.describe(shown);
            }
            log.accept("LEAK: a lease of " + bytes
                    + " bytes was dropped without a release, and is taken back. Leaked leases so far: " + count
                    + (level == LeakDetection.SIMPLE ? ", of the one in " + SAMPLING_INTERVAL + " that is watched. "
                    : ". ") + held(origins, allocated) + place("allocated", origins.isEmpty() ? allocated : null),
                    shown);
        }
    }

    /** Returns what the library has received into a lease. Several receivers share one; some may have released it. */
    private static String held(List<LeaseOrigin> origins, @Nullable LeakRecord allocated) {
        return origins.isEmpty() ? "" : origins.stream().map(origin -> origin.text(allocated))
                .collect(Collectors.joining("; ", origins.size() == 1 ? "It held "
                        : "It held messages that not all of their receivers have released: ", ". "));
    }

    /** Counts and reports a leaked message that offers so many bytes. */
    public void messageLeaked(String peer, int id, long bytes, @Nullable LeakRecord place) {
        long count = messages.incrementAndGet();
        FlightEvents.leaked("message", peer, bytes);
        if (mayReport()) {
            log.accept("LEAK: [" + peer + "] an active message " + id + " that offers " + bytes
                    + " bytes was dropped, neither fetched nor discarded, and is discarded. Leaked messages so far: "
                    + count + ". " + place("received", place), place);
        }
    }

    private String place(String what, @Nullable LeakRecord place) {
        if (place == null) {
            return recordsPlaces() ? "" : "-D" + LeakDetection.PROPERTY + "="
                    + LeakDetection.ADVANCED.name().toLowerCase(Locale.ROOT) + " tells the place";
        }
        return "It was " + what + " at " + place.firstOutside();
    }

    /** Limits the log, because leaks come in numbers. Returns whether to report the next leak. */
    private synchronized boolean mayReport() {
        long now = System.nanoTime();
        if (reports == 0 || now - periodStart > PERIOD_NANOS) {
            if (unreported > 0) {
                log.accept("LEAK: " + unreported + " more leaks were not reported one by one", null);
            }
            periodStart = now;
            reports = 0;
            unreported = 0;
        }
        boolean may = reports < MAX_REPORTS_IN_A_PERIOD;
        if (may) {
            reports++;
        } else {
            unreported++;
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
