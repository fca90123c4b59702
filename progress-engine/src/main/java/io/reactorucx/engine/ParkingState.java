package io.reactorucx.engine;

import java.util.concurrent.atomic.AtomicInteger;

/** The state of an engine's sleep: a burst of commands wakes it once, and no wake-up is lost. */
final class ParkingState {

    private static final int AWAKE = 0;
    private static final int PARKED = 1;
    private static final int WOKEN = 2;

    private final AtomicInteger state = new AtomicInteger(AWAKE);

    /** Called when the engine is about to sleep. Returns false when it has been woken since its last sleep. */
    boolean park() {
        if (state.compareAndSet(AWAKE, PARKED)) {
            return true;
        }
        state.set(AWAKE);
        return false;
    }

    /** The engine is awake. */
    void unpark() {
        state.set(AWAKE);
    }

    /**
     * Called after a command was queued, which the engine looks for after {@link #park()}. Returns whether the engine
     * has to be signalled.
     */
    boolean wakeIfParked() {
        return state.get() == PARKED && state.compareAndSet(PARKED, WOKEN);
    }

    /** Ends the present sleep or prevents the next one. Returns whether the engine has to be signalled. */
    boolean wake() {
        return state.getAndSet(WOKEN) == PARKED;
    }

    /** Returns whether the engine sleeps, or is about to, and has not been woken. Any thread. */
    boolean isParked() {
        return state.get() == PARKED;
    }
}
