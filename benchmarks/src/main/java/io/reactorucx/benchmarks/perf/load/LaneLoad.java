package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxConnection;

/** Runs operations in lanes, one at a time in each. */
public abstract class LaneLoad extends Load {

    private final LaneOperations operations;

    LaneLoad(UcxConnection connection, LaneOperations operations) {
        super(connection);
        this.operations = operations;
        operations.bind(this);
    }

    public final void begin(int lane) {
        operations.begin(lane);
    }

    /** Called when the operation of a lane has ended. */
    public abstract void ended(int lane);
}
