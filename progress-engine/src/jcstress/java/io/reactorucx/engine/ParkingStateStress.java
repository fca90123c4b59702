package io.reactorucx.engine;

import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A command that is queued while the engine goes to sleep: the engine has seen it, or it is signalled. */
@JCStressTest
@Outcome(id = "false, true", expect = Expect.FORBIDDEN, desc = "asleep with a command in the queue, and no signal")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "asleep, and signalled")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "awake, no signal needed")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "awake, and signalled for nothing")
@State
public class ParkingStateStress {

    private final ParkingState parking = new ParkingState();
    private final MpscVarHandleArrayQueue<Object> commands = new MpscVarHandleArrayQueue<>(2);
    private boolean asleep;
    private boolean signalled;

    /** As {@code ProgressEngine.sleep}. */
    @Actor
    public void engine() {
        if (parking.park()) {
            asleep = commands.isEmpty();
            if (!asleep) {
                parking.unpark();
            }
        }
    }

    /** As {@code ProgressEngine.execute}. */
    @Actor
    public void submit() {
        commands.offer(this);
        signalled = parking.wakeIfParked();
    }

    @Arbiter
    public void end(ZZ_Result result) {
        result.r1 = signalled;
        result.r2 = asleep;
    }
}
