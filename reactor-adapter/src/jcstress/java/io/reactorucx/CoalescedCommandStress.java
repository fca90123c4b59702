package io.reactorucx;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.command.CoalescedCommand;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A command that is submitted while it runs: it runs again, for whatever was asked for before. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "the last run saw both")
@Outcome(expect = Expect.FORBIDDEN, desc = "anything else")
@State
public class CoalescedCommandStress {

    private static final ProgressEngine ENGINE = Races.running();

    private final AtomicInteger asked = new AtomicInteger();
    private final CoalescedCommand command = new CoalescedCommand(ENGINE, this::run);
    private int seen;

    private void run() {
        seen = asked.get();
    }


    @Actor
    public void first() {
        asked.incrementAndGet();
        command.submit();
    }

    @Actor
    public void second() {
        asked.incrementAndGet();
        command.submit();
    }

    @Arbiter
    public void end(I_Result result) {
        Races.awaitAllRun(ENGINE);
        result.r1 = seen;
    }
}
