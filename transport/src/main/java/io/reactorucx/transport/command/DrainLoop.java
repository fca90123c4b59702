package io.reactorucx.transport.command;

/**
 * A loop that delivers signals to a subscriber, which may call back from within them: such a call requests another
 * round of the loop instead of a recursion.
 *
 * <p>Thread: engine.
 */
public abstract class DrainLoop {

    private boolean draining;
    private boolean missed;

    /** Runs rounds until no call has asked for another one. Returns false if called from within a round. */
    public final boolean loop() {
        missed = true;
        if (draining) {
            return false;
        }
        draining = true;
        try {
            while (missed) {
                missed = false;
                round();
            }
        } finally {
            draining = false;
        }
        return true;
    }

    /** Delivers what can be delivered now, and then the end if it is due. */
    protected abstract void round();

    /** Begins a single signal outside of a round: calls from within it do not loop, the caller does afterwards. */
    public final void beginSignal() {
        draining = true;
    }

    public final void endSignal() {
        draining = false;
    }

    public final boolean isDraining() {
        return draining;
    }
}
