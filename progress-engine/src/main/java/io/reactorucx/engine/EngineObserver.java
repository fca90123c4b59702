package io.reactorucx.engine;

/**
 * Notified of rare events of engines; frequent events are counted by {@link EngineCounters}.
 *
 * <p><b>Threading:</b> the thread that it happens on. <b>Errors:</b> should not throw; what it throws is logged.
 */
public interface EngineObserver {

    /** Does nothing. */
    EngineObserver NONE = new EngineObserver() {
    };

    /**
     * An engine has its worker and runs.
     *
     * @param engine the engine
     */
    default void engineStarted(ProgressEngine engine) {
    }

    /**
     * An engine has failed, on its thread: it closes its worker next, and runs nothing any more.
     *
     * @param engine the engine
     * @param cause what was thrown
     */
    default void engineFailed(ProgressEngine engine, Throwable cause) {
    }

    /**
     * An engine that had started has ended.
     *
     * @param engine the engine
     */
    default void engineClosed(ProgressEngine engine) {
    }
}
