package io.reactorucx.transport.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A record behind a filler, in slots that held one before, is found once the filler was passed. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet, or behind a filler that was")
@Outcome(id = "0, 2459565876494606882", expect = Expect.ACCEPTABLE, desc = "it came meanwhile")
@Outcome(id = "2459565876494606882, 0", expect = Expect.ACCEPTABLE, desc = "it was there")
@Outcome(expect = Expect.FORBIDDEN, desc = "a record in part, or the one before")
@State
public class RingWrapStress extends SmallRing {

    public RingWrapStress() {
        super(8);
        for (int i = 0; i < 3; i++) {
            write(FIRST, 2);
            read();
        }
        tell();
    }

    @Actor
    public void writer() {
        write(SECOND, 3);
    }

    @Actor
    public void reader(JJ_Result result) {
        result.r1 = read();
        result.r2 = read();
    }
}
