package io.reactorucx.stress;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Bounded waits for a condition. */
final class Waits {

    private static final long POLL_NANOS = 1_000_000;

    private Waits() {
    }

    /** Returns whether the condition came to hold in time. */
    static boolean until(Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }
}
