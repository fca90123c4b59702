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

    /**
     * An engine's round has taken longer than an {@link EngineWatch} allows, and goes on. Comes on the watch's thread.
     *
     * @param engine the engine
     * @param stall what blocks it
     */
    default void engineStalled(ProgressEngine engine, EngineStall stall) {
    }

    /**
     * An engine that had stalled has gone on, or has closed. Comes on the watch's thread.
     *
     * @param engine the engine
     * @param stall what has blocked it
     */
    default void stallEnded(ProgressEngine engine, EngineStall stall) {
    }
}
