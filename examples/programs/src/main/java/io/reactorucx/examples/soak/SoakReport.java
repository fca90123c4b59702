package io.reactorucx.examples.soak;

import io.reactorucx.examples.soak.Tally.End;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The output of the soak while it runs and at its end. */
public final class SoakReport {

    /** A larger difference between start and end counts as a leak, of native memory of this process alone. */
    private static final long TOLERATED_NATIVE_BYTES = 12L << 20;
    /** The same for memory that is shared with other processes, some of them none of the soak's. */
    private static final long TOLERATED_BYTES = 48L << 20;
    private static final long TOLERATED_COUNT = 16;
    /** Levels that have a limit of their own, and numbers that are no levels. */
    private static final Set<String> BOUNDED = Set.of(Levels.SLABS, Levels.NETTY, Levels.RESIDENT,
            "heap bytes", "numbers asked for");
    private static final Set<String> NATIVE = Set.of("malloc bytes", "mapped bytes");

    private final LongAdder connected = new LongAdder();
    private final Map<String, LongAdder> notConnected = new ConcurrentHashMap<>();
    private final long start = System.nanoTime();

    void connected() {
        connected.increment();
    }

    void notConnected(Throwable error) {
        notConnected.computeIfAbsent(DroppedErrors.nameOf(error), ignored -> new LongAdder()).increment();
    }

    /**
     * Prints how much has been delivered until now.
     *
     * @param tallies the results
     */
    public void progress(Tallies tallies) {
        StringBuilder line = new StringBuilder(String.format("%5d s", (System.nanoTime() - start) / 1_000_000_000L));
        tallies.byKind().forEach((kind, tally) -> line.append("  ").append(kind).append(' ')
                .append(tally.count(End.DELIVERED)).append(" of ").append(tally.begunCount()));
        System.out.println(line);
    }

    /** Returns whether only the connection that asks is open, in both processes. */
    static boolean isSettled(Levels[] both) {
        for (Levels levels : both) {
            for (String name : Levels.NOTHING) {
                if (levels.of(name) > ("connections".equals(name) ? 1 : 0)) {
                    return false;
                }
            }
        }
        return true;
    }

    boolean print(Tallies tallies, Levels[] before, Levels[] after) {
        System.out.printf("connections made: %d, not made: %s; errors after a cancel: %s%n", connected.sum(),
                new TreeMap<>(notConnected), DroppedErrors.byName());
        return isSettled(after) & print(tallies) & compare("this process", before[0], after[0])
                & compare("the server", before[1], after[1]);
    }

    /**
     * Prints the results of exchanges.
     *
     * @param tallies the results
     * @return whether none is bad
     */
    public static boolean print(Tallies tallies) {
        boolean sound = true;
        System.out.printf("%-16s %9s %9s %9s %9s %7s %6s %6s %10s %7s%n", "exchanges", "begun", "delivered",
                "cancelled", "timed out", "failed", "lost", "twice", "corrupt", "GB");
        for (Map.Entry<String, Tally> each : tallies.byKind().entrySet()) {
            Tally tally = each.getValue();
            System.out.printf("%-16s %9d %9d %9d %9d %7d %6d %6d %10d %7.2f%n", each.getKey(), tally.begunCount(),
                    tally.count(End.DELIVERED), tally.count(End.CANCELLED), tally.count(End.TIMED_OUT),
                    tally.count(End.FAILED), tally.count(End.LOST), tally.count(End.DUPLICATED),
                    tally.count(End.CORRUPT), tally.bytes() / 1e9);
            if (!tally.errors().isEmpty()) {
                System.out.println("    failed with " + tally.errors()
                        + (tally.unexpected() == 0 ? "" : ", " + tally.unexpected()
                        + " of them not with an error of the connection"));
            }
            sound &= tally.isSound();
        }
        return sound;
    }

    /** Prints the sums that are outside of their bounds; returns whether none is. */
    static boolean printBounds(List<String> outside) {
        System.out.println(outside.isEmpty() ? "meters of the mix: between what was delivered and what was begun, in"
                + " both processes" : "meters of the mix: they are not between what was delivered and what was begun:");
        outside.forEach(each -> System.out.println("    " + each));
        return outside.isEmpty();
    }

    /** Prints the sums by which meters differ from what was counted; returns whether none does. */
    static boolean printMeters(List<String> different) {
        System.out.println(different.isEmpty() ? "meters: equal to what was counted, in both processes"
                : "meters: they differ from what was counted:");
        different.forEach(each -> System.out.println("    " + each));
        return different.isEmpty();
    }

    /**
     * Prints what a process held at two moments.
     *
     * @param who the process
     * @param before at the start
     * @param after at the end
     * @return whether nothing has grown, and no unexpected error was counted
     */
    public static boolean compare(String who, Levels before, Levels after) {
        boolean sound = true;
        System.out.printf("%-26s %14s %14s%n", who, "at the start", "at the end");
        for (Map.Entry<String, Long> each : after.values().entrySet()) {
            long start = before.of(each.getKey());
            boolean grown = !BOUNDED.contains(each.getKey())
                    && each.getValue() - start > tolerated(each.getKey());
            System.out.printf("    %-22s %,14d %,14d%s%n", each.getKey(), start, each.getValue(), grown ? "  has grown"
                    : "");
            sound &= !grown;
        }
        return sound && after.of(Levels.UNEXPECTED) == 0;
    }

    private static long tolerated(String level) {
        return NATIVE.contains(level) ? TOLERATED_NATIVE_BYTES
                : level.endsWith("bytes") ? TOLERATED_BYTES : TOLERATED_COUNT;
    }
}
