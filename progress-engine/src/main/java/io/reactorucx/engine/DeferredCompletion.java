package io.reactorucx.engine;

/**
 * A completion that was decided within the call that posted its operation, and that the engine's loop delivers later.
 */
interface DeferredCompletion {

    /** Completes the operation. Thread: engine. */
    void deliver();
}
