package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Two references go at once: the memory goes back once. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "given back, and leased to one at a time")
@Outcome(expect = Expect.FORBIDDEN, desc = "anything else")
@State
public class BufferReleaseStress {

    private static final UcxBufferPool POOL = Races.pool();

    private final UcxBuffer buffer = POOL.acquire(1).retain();


    @Actor
    public void first() {
        buffer.release();
    }

    @Actor
    public void second() {
        buffer.release();
    }

    @Arbiter
    public void end(ZZ_Result result) {
        result.r1 = buffer.isDisposed();
        result.r2 = Races.isLeasedOnce(POOL);
    }
}
