package io.reactorucx.transport.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJJ_Result;

/** A record of a full ring is written over only after it was read. */
@JCStressTest
@Outcome(id = "false, 1229782938247303441, 0", expect = Expect.ACCEPTABLE, desc = "there was no room yet")
@Outcome(id = "true, 1229782938247303441, 2459565876494606882", expect = Expect.ACCEPTABLE, desc = "there was")
@Outcome(expect = Expect.FORBIDDEN, desc = "a record that was lost, or written over")
@State
public class RingRoomStress extends SmallRing {

    private boolean hadRoom;
    private long first;

    public RingRoomStress() {
        super(4);
        write(FIRST, 2);
    }

    @Actor
    public void writer() {
        hadRoom = write(SECOND, 2);
    }

    @Actor
    public void reader() {
        first = read();
        tell();
    }

    @Arbiter
    public void end(ZJJ_Result result) {
        result.r1 = hadRoom;
        result.r2 = first;
        result.r3 = read();
    }
}
