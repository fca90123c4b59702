package io.reactorucx.transport.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A writer that waits for room and falls asleep while the reader makes some finds it, or is woken. */
@JCStressTest
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "it sleeps, and is woken")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "it has found work, and was not seen asleep")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "it has found work, and is woken for nothing")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "it sleeps, and nobody wakes it")
@State
public class RingWaitStress extends SmallRing {

    public RingWaitStress() {
        super(4);
        write(FIRST, 2);
        write(SECOND, 2);
    }

    @Actor
    public void writer(ZZ_Result result) {
        tellAsleep(true);
        result.r1 = hasRoom();
    }

    @Actor
    public void reader(ZZ_Result result) {
        read();
        tell();
        result.r2 = wakes(false);
    }
}
