package io.reactorucx.engine;

/** What has ended within the call that posted it, and waits for the engine's loop to say so. */
interface DeferredCompletion {

    /** Says so, on the engine's thread. */
    void deliver();
}
