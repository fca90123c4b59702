package io.reactorucx.engine;

import io.reactorucx.core.UcpWorker;

/** A task for an engine's thread with access to its worker. Exactly one of the two methods is called, once. */
public interface Command {

    /**
     * Runs the task. What it throws is logged; a {@link VirtualMachineError} other than an overflow of the stack and an
     * {@link InternalError} also ends the engine. Thread: engine.
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

    /**
     * Whether it runs before commands that are not urgent, although they were queued before it. This is for what ends
     * something, such as a cancellation: what it ends may be the cause that the others have to wait. Thread: any.
     *
     * @return whether it is urgent, always the same
     */
    default boolean isUrgent() {
        return false;
    }
}
