package io.reactorucx;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A cancel while UCX completes the operation: one outcome or none, and the memory is let go of once. */
@JCStressTest
@Outcome(id = "11, 1", expect = Expect.ACCEPTABLE, desc = "completed")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "cancelled")
@Outcome(expect = Expect.FORBIDDEN, desc = "anything else")
@State
public class CancelAgainstCompleteStress {

    private final CountedOperation operation = new CountedOperation(Races.connection(false));

    public CancelAgainstCompleteStress() {
        operation.request(1);
    }

    @Actor
    public void complete() {
        operation.succeeded(0, 0);
    }

    @Actor
    public void cancel() {
        operation.cancel();
    }

    @Arbiter
    public void end(II_Result result) {
        result.r1 = operation.heard();
        result.r2 = operation.releases();
    }
}
