package io.reactorucx.engine;

import java.util.concurrent.atomic.AtomicInteger;

/** Whether an engine sleeps, so that it is woken once for a burst and never misses a wake-up. */
final class ParkingState {

    private static final int AWAKE = 0;
    private static final int PARKED = 1;
    private static final int WOKEN = 2;

    private final AtomicInteger state = new AtomicInteger(AWAKE);

    /** The engine is about to sleep; false when somebody has woken it since it last did. */
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

    /** Something has been queued, which the engine looks for after {@link #park()}; answers whether it has to be signalled. */
    boolean wakeIfParked() {
        return state.get() == PARKED && state.compareAndSet(PARKED, WOKEN);
    }

    /** Ends the present sleep or prevents the next one; answers whether the engine has to be signalled. */
    boolean wake() {
        return state.getAndSet(WOKEN) == PARKED;
    }
}
