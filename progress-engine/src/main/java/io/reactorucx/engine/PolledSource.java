package io.reactorucx.engine;

/**
 * What an engine polls in each round beside its worker, such as memory that a peer writes to.
 *
 * <p><b>Threading:</b> the engine's thread. <b>Ownership:</b> the engine's until {@link #engineClosed()}.
 * <b>Errors:</b> what {@link #poll} throws fails the engine.
 */
public interface PolledSource {

    /**
     * Does what there is to do now, a bounded part of it.
     *
     * @return how much was done, 0 for nothing
     */
    int poll();

    /**
     * The engine is about to sleep: from now on what comes has to wake it.
     *
     * @return whether it may sleep; if not, something has come already
     */
    boolean park();

    /** The engine is awake, or has not slept after all. Also called without {@link #park()}. */
    void unpark();

    /** The engine has closed. */
    void engineClosed();
}
