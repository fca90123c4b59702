package io.reactorucx.examples.soak;

import io.reactorucx.core.error.UcxException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Hooks;

/**
 * Counts the errors of this process that had no receiver. An operation that fails after its subscriber has cancelled
 * drops its error, which is one of its connection. Any other error is a fault: of the library, or of this program.
 */
final class DroppedErrors {

    private static final Map<String, LongAdder> BY_NAME = new ConcurrentHashMap<>();
    private static final LongAdder UNEXPECTED = new LongAdder();

    private DroppedErrors() {
    }

    /** Counts from now on. */
    static void count() {
        Hooks.onErrorDropped(DroppedErrors::dropped);
    }

    private static void dropped(Throwable error) {
        LongAdder count = BY_NAME.computeIfAbsent(nameOf(error), ignored -> new LongAdder());
        if (!(error instanceof UcxException)) {
            UNEXPECTED.increment();
            if (count.sum() == 0) {
                error.printStackTrace();
            }
        }
        count.increment();
    }

    /** Returns the status of an error, or the type and the text without its numbers. */
    static String nameOf(Throwable error) {
        return error instanceof UcxException ucx ? ucx.status().name() : error.toString().replaceAll("[0-9]+", "N");
    }

    static Map<String, Long> byName() {
        Map<String, Long> sorted = new TreeMap<>();
        BY_NAME.forEach((name, count) -> sorted.put(name, count.sum()));
        return sorted;
    }

    /** Returns the number of errors that are no {@link UcxException}. */
    static long unexpected() {
        return UNEXPECTED.sum();
    }
}
