package io.reactorucx.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The rounds of an engine that have thrown. The first lets the engine close; after some more its worker is left to the
 * process.
 *
 * <p>Thread: engine.
 */
final class FailedRounds {

    /** Rounds of a closing engine that may throw. */
    static final int MAX = 16;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private int count;

    /**
     * A round has thrown. Where there is not even memory for the end of the engine, the next round tries again: an
     * error that ended the thread would leave all callers waiting.
     */
    void add(ProgressEngine engine, Throwable thrown) {
        try {
            count++;
            engine.fail(thrown);
            if (count > MAX) {
                engine.giveUp();
            }
        } catch (Throwable lacking) {
            LockSupport.parkNanos(RETRY_NANOS);
        }
    }

    int count() {
        return count;
    }
}
