package io.reactorucx.engine;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A burst of commands wakes a sleeping engine once. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "one signal")
@Outcome(expect = Expect.FORBIDDEN, desc = "none, or one too many")
@State
public class BurstStress {

    private final ParkingState parking = new ParkingState();
    private int first;
    private int second;

    public BurstStress() {
        parking.park();
    }

    @Actor
    public void first() {
        first = parking.wakeIfParked() ? 1 : 0;
    }

    @Actor
    public void second() {
        second = parking.wakeIfParked() ? 1 : 0;
    }

    @Arbiter
    public void end(I_Result result) {
        result.r1 = first + second;
    }
}
