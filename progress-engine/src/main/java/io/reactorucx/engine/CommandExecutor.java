package io.reactorucx.engine;

import org.jspecify.annotations.Nullable;

/**
 * Runs commands, and actions after a delay, one after the other on one thread: an engine, or what stands in its place
 * with a clock of its own.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> a command is the executor's until one of its methods was called.
 * <b>Errors:</b> {@link Command#reject} gets them.
 */
public interface CommandExecutor {

    /** {@return the name of the engine, for the log} */
    String name();

    /** {@return what has ended the engine, null when nothing has, or when it was closed} */
    @Nullable Throwable failure();

    /** {@return whether the calling thread is the one that runs the commands} */
    boolean isEngineThread();

    /** {@return the time by which actions are scheduled, in ns, for differences alone} */
    default long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Runs a command: at once on the thread of the commands, else after those that were given before.
     *
     * @param command what to do
     */
    void execute(Command command);

    /**
     * Runs a command after a delay, by a clock of this executor's own.
     *
     * @param delayNanos the delay
     * @param command what to do
     * @return whether there is such a clock; if not, nothing happens, and the caller has to count the delay
     */
    default boolean executeLater(long delayNanos, Command command) {
        return false;
    }

    /**
     * Runs an action after a delay, unless it is cancelled or the engine closes before.
     *
     * @param delayNanos shortest delay in ns, 0 or more
     * @param action what to do on the thread of the commands, without blocking
     * @return the timeout, to cancel it
     * @throws io.reactorucx.core.error.UcxException with BUSY when there is no room for one more timeout
     * @throws io.reactorucx.core.error.UcxClosedException when the engine closes
     */
    Timeout schedule(long delayNanos, Runnable action);
}
