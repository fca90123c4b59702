package io.reactorucx.engine;

import io.reactorucx.core.UcpWorker;

/** A task for an engine's thread with access to its worker. Exactly one of the two methods is called, once. */
public interface Command {

    /**
     * Runs the task; what it throws is logged. Thread: engine.
     *
     * @param worker the engine's worker
     */
    void run(UcpWorker worker);

    /**
     * Called when the engine will not run it. Thread: any.
     *
     * @param cause why: the engine is closed, or its queue is full
     */
    void reject(RuntimeException cause);
}
