package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxConnection;

/** Runs operations in lanes, one at a time in each. */
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

    /** Called when the operation of a lane has ended. */
    abstract void ended(int lane);
}
