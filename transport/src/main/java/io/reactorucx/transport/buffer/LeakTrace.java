package io.reactorucx.transport.buffer;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The places of the last operations on a lease. Any thread. It must not refer to the lease, which would then never
 * become unreachable.
 */
final class LeakTrace {

    private static final int MAX_RECORDS = 8;
    private static final int MAX_HINT_CHARACTERS = 200;

    private final Deque<LeakRecord> records = new ArrayDeque<>(MAX_RECORDS);
    private long count;

    void add(String what, @Nullable Object hint) {
        String text = hint == null ? "" : ": " + hint;
        LeakRecord place = new LeakRecord(what + text.substring(0, Math.min(text.length(), MAX_HINT_CHARACTERS)));
        synchronized (records) {
            if (records.size() == MAX_RECORDS) {
                records.removeFirst();
            }
            records.addLast(place);
            count++;
        }
    }

    /** Adds the records to a report. */
    void describe(Throwable report) {
        synchronized (records) {
            if (count > records.size()) {
                report.addSuppressed(new LeakRecord(count - records.size() + " earlier ones are forgotten"));
            }
            records.forEach(report::addSuppressed);
        }
    }
}
