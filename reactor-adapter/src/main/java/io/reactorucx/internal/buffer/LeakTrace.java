package io.reactorucx.internal.buffer;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The last places where something was done to a lease. Any thread. It must not lead to the lease, which would then
 * never be unreachable.
 */
final class LeakTrace {

    private static final int LAST = 8;
    private static final int HINT_CHARACTERS = 200;

    private final Deque<LeakRecord> places = new ArrayDeque<>(LAST);
    private long count;

    void add(String what, @Nullable Object hint) {
        String text = hint == null ? "" : ": " + hint;
        LeakRecord place = new LeakRecord(what + text.substring(0, Math.min(text.length(), HINT_CHARACTERS)));
        synchronized (places) {
            if (places.size() == LAST) {
                places.removeFirst();
            }
            places.addLast(place);
            count++;
        }
    }

    /** Adds what is known to a report. */
    void describe(Throwable report) {
        synchronized (places) {
            if (count > places.size()) {
                report.addSuppressed(new LeakRecord(count - places.size() + " earlier ones are forgotten"));
            }
            places.forEach(report::addSuppressed);
        }
    }
}
