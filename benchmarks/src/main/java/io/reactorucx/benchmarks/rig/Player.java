package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.turns.Contestant;
import io.reactorucx.benchmarks.turns.Turn;
import java.util.List;

/** The processes of a contender that takes turns with others. They are stopped except in its turns. */
interface Player extends Contestant, AutoCloseable {

    /** Lets the processes report what they have measured in their last turns. Others are stopped meanwhile. */
    void finish(List<Turn> turns) throws InterruptedException;

    /** {@return the figures of each turn, a failure for one without figures} */
    List<Measurement> figures(List<Turn> turns);

    /** {@return what was measured over all turns} */
    Measurement whole();

    /** Ends the processes. */
    @Override
    void close();
}
