package io.reactorucx.engine;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A planted race, which the run has to find. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "one after the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "one is lost")
@State
public class FaultyStress {

    private int count;

    @Actor
    public void first() {
        count++;
    }

    @Actor
    public void second() {
        count++;
    }

    @Arbiter
    public void end(I_Result result) {
        result.r1 = count;
    }
}
