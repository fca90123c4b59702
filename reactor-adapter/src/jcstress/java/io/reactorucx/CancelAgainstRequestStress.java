package io.reactorucx;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A cancel while the operation is asked for, of an engine that refuses it: an error or nothing, and the memory is let
 * go of once.
 */
@JCStressTest
@Outcome(id = "100, 1", expect = Expect.ACCEPTABLE, desc = "refused")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "cancelled")
@Outcome(expect = Expect.FORBIDDEN, desc = "anything else")
@State
public class CancelAgainstRequestStress {

    private final CountedOperation operation = new CountedOperation(Races.connection(true));


    @Actor
    public void request() {
        operation.request(1);
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
