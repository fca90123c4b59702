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

/** A reference is added while the last one goes: either it keeps the memory, or it is refused. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "kept")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "refused")
@Outcome(expect = Expect.FORBIDDEN, desc = "anything else")
@State
public class BufferRetainStress {

    private static final UcxBufferPool POOL = Races.pool();

    private final UcxBuffer buffer = POOL.acquire(1);
    private boolean retained;


    @Actor
    public void retain() {
        try {
            buffer.retain();
            retained = true;
        } catch (IllegalStateException released) {
            retained = false;
        }
    }

    @Actor
    public void release() {
        buffer.release();
    }

    @Arbiter
    public void end(ZZ_Result result) {
        result.r1 = retained;
        result.r2 = buffer.isDisposed();
        buffer.dispose();
    }
}
