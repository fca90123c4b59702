package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxConnection;

/** Operations in lanes: one at a time in each. */
abstract class LaneLoad extends Load {

    private final LaneOperations operations;

    LaneLoad(UcxConnection connection, LaneOperations operations) {
        super(connection);
        this.operations = operations;
        operations.bind(this);
    }

    final void begin(int lane) {
        operations.begin(lane);
    }

    /** The operation of a lane is over. */
    abstract void ended(int lane);
}
