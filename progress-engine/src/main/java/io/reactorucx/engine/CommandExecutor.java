package io.reactorucx.engine;

/**
 * Runs commands one after the other on one thread: an engine, or what stands in its place with a clock of its own.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> a command is the executor's until one of its methods was called.
 * <b>Errors:</b> {@link Command#reject} gets them.
 */
public interface CommandExecutor {

    /** {@return whether the calling thread is the one that runs the commands} */
    boolean isEngineThread();

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
}
