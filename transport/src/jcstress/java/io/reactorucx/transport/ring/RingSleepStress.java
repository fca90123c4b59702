package io.reactorucx.transport.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A reader that falls asleep while a record comes finds it, or is woken. */
@JCStressTest
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "it sleeps, and is woken")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "it has found work, and was not seen asleep")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "it has found work, and is woken for nothing")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "it sleeps, and nobody wakes it")
@State
public class RingSleepStress extends SmallRing {

    public RingSleepStress() {
        super(8);
    }

    @Actor
    public void reader(ZZ_Result result) {
        tellAsleep(false);
        result.r1 = hasNext();
    }

    @Actor
    public void writer(ZZ_Result result) {
        write(FIRST, 2);
        result.r2 = wakes(true);
    }
}
