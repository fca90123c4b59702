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
}
