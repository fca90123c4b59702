package io.reactorucx.engine;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** A wake-up while the engine goes to sleep ends that sleep or prevents the next one, once. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE,
        desc = "it slept and was signalled; then it is free to sleep again")
@Outcome(id = "false, false, true", expect = Expect.ACCEPTABLE,
        desc = "the wake-up came first and prevented the sleep; the next is free")
@Outcome(expect = Expect.FORBIDDEN, desc = "a wake-up that is lost, or that comes twice")
@State
public class WakeupStress {

    private final ParkingState parking = new ParkingState();
    private boolean parked;
    private boolean signalled;

    @Actor
    public void engine() {
        parked = parking.park();
    }

    @Actor
    public void wakeup() {
        signalled = parking.wake();
    }

    @Arbiter
    public void end(ZZZ_Result result) {
        result.r1 = parked;
        result.r2 = signalled;
        if (parked) {
            parking.unpark();
        }
        result.r3 = parking.park();
    }
}
