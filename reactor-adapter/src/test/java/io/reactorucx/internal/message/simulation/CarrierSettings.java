package io.reactorucx.internal.message.simulation;

import java.time.Duration;

/**
 * How a simulated carrier behaves.
 *
 * @param fault what it does wrong
 * @param slots the operations that each side may have in flight
 * @param refusals the part of the operations that is refused at first, although there is a slot
 * @param sharesQueue whether it says that all connections of the two sides share a queue
 * @param hasSocket whether the two sides have a control socket beside it
 * @param heartbeat the longest silence of a side, 0 for any
 */
record CarrierSettings(CarrierFault fault, int slots, double refusals, boolean sharesQueue, boolean hasSocket,
        Duration heartbeat) {

    /** Returns whether messages are on their way for long, so that others can overtake them. */
    boolean isSlow() {
        return fault == CarrierFault.LAST_OVERTAKES || fault == CarrierFault.FIN_OVERTAKES;
    }
}
