package io.reactorucx.transport.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A record of several slots is there as a whole or not at all, and the next one only after it. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "read before both")
@Outcome(id = "0, 1229782938247303441", expect = Expect.ACCEPTABLE, desc = "the first one came meanwhile")
@Outcome(id = "1229782938247303441, 0", expect = Expect.ACCEPTABLE, desc = "the second one was not there yet")
@Outcome(id = "1229782938247303441, 2459565876494606882", expect = Expect.ACCEPTABLE, desc = "both")
@Outcome(expect = Expect.FORBIDDEN, desc = "a record in part, or out of turn")
@State
public class RingRecordStress extends SmallRing {

    public RingRecordStress() {
        super(8);
    }

    @Actor
    public void writer() {
        write(FIRST, 2);
        write(SECOND, 2);
    }

    @Actor
    public void reader(JJ_Result result) {
        result.r1 = read();
        result.r2 = read();
    }
}
