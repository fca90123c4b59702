package io.reactorucx.engine;

/**
 * The rounds of an engine that have thrown. The first lets the engine close; after some more its worker is left to the
 * process.
 *
 * <p>Thread: engine.
 */
final class FailedRounds {

    /** Rounds of a closing engine that may throw. */
    static final int MAX = 16;

    private int count;
    private long firstWaitNanos;
    private boolean waiting;

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
            // Each try costs the JVM a collection; the threads that hold the memory get the processor first.
            Thread.yield();
        }
    }

    int count() {
        return count;
    }

    /**
     * Returns whether the signals of the engine's failure have to wait: there is no memory for them now. After a while
     * they are sent all the same.
     */
    boolean waitForMemory() {
        long now = System.nanoTime();
        if (!waiting) {
            waiting = true;
            firstWaitNanos = now;
        }
        if (now - firstWaitNanos > HeapRoom.MAX_WAIT_NANOS || HeapRoom.isThere()) {
            return false;
        }
        Thread.yield();
        return true;
    }
}
