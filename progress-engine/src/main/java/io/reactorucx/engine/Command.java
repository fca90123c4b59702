package io.reactorucx.engine;

import io.reactorucx.core.UcpWorker;

/** Something for an engine's thread to do with its worker. Exactly one of the two methods is called, once. */
public interface Command {

    /**
     * Does it, on the engine's thread. What it throws is logged.
     *
     * @param worker the engine's worker
     */
    void run(UcpWorker worker);

    /**
     * Told that the engine will not do it. Any thread.
     *
     * @param cause why: the engine is closed, or its queue is full
     */
    void reject(RuntimeException cause);
}
