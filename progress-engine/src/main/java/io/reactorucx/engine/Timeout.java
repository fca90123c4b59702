package io.reactorucx.engine;

/**
 * An action that runs on an engine's thread once a delay has passed, see {@link CommandExecutor#schedule}.
 *
 * <p><b>Threading:</b> any thread. <b>Errors:</b> what the action throws is logged.
 */
public interface Timeout {

    /**
     * Cancels the action unless it has begun to run. The engine forgets it at once where the engine's thread calls,
     * else in its next round.
     *
     * @return whether this call cancelled it
     */
    boolean cancel();

    /**
     * {@return whether the action has neither begun to run nor been cancelled; one that its engine dropped by closing
     * stays pending}
     */
    boolean isPending();
}
