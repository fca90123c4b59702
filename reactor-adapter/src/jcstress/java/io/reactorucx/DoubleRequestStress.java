package io.reactorucx;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** An operation that is asked for twice at once is submitted once. */
@JCStressTest
@Outcome(id = "100, 1", expect = Expect.ACCEPTABLE, desc = "submitted once")
@Outcome(expect = Expect.FORBIDDEN, desc = "anything else")
@State
public class DoubleRequestStress {

    private final CountedOperation operation = new CountedOperation(Races.connection(true));


    @Actor
    public void first() {
        operation.request(1);
    }

    @Actor
    public void second() {
        operation.request(Long.MAX_VALUE);
    }

    @Arbiter
    public void end(II_Result result) {
        result.r1 = operation.heard();
        result.r2 = operation.releases();
    }
}
