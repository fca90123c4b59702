package io.reactorucx;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A cancel while the connection is lost: an error or nothing, and the memory stays until UCX lets go of it. */
@JCStressTest
@Outcome(id = "100, 0", expect = Expect.ACCEPTABLE, desc = "lost")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "cancelled")
@Outcome(expect = Expect.FORBIDDEN, desc = "anything else")
@State
public class CancelAgainstLossStress {

    private final CountedOperation operation = new CountedOperation(Races.connection(false));

    public CancelAgainstLossStress() {
        operation.request(1);
    }

    @Actor
    public void lose() {
        operation.abandon(new UcxException(UcxStatus.ENDPOINT_TIMEOUT.code(), "connection", "peer"));
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
