package io.reactorucx.transport.handshake;

import java.util.concurrent.RejectedExecutionException;

/**
 * Runs the steps of authenticators, which may block.
 *
 * <p>Thread: any.
 */
@FunctionalInterface
public interface AuthenticatorExecutor {

    /**
     * Runs a step later.
     *
     * @param first whether this is the first step of a handshake, which may be refused; the later ones are as many as
     *     handshakes have done the first
     * @return removes the step, or interrupts it
     * @throws RejectedExecutionException when too many first steps run or wait, of all peers or of this one
     */
    Runnable execute(Runnable step, boolean first);
}
