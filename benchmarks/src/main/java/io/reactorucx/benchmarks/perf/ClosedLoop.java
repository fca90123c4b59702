package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxConnection;

/** Starts the next operation of a lane when the last one ends. */
final class ClosedLoop extends LaneLoad {

    /** Operations between two readings of the clock, unless each is timed. */
    private static final int CLOCK_MASK = 15;

    private final long[] begun;
    private long deadlineNanos;
    private int active;
    private boolean over;

    ClosedLoop(UcxConnection connection, LaneOperations operations, int lanes) {
        super(connection, operations);
        begun = new long[lanes];
    }

    @Override
    void start(long nowNanos, long nanos) {
        deadlineNanos = nowNanos + nanos;
        over = false;
        active = begun.length;
        for (int lane = 0; lane < begun.length; lane++) {
            begun[lane] = System.nanoTime();
            begin(lane);
        }
    }

    @Override
    void ended(int lane) {
        if (records()) {
            long now = System.nanoTime();
            count(now - begun[lane]);
            begun[lane] = now;
            over = now - deadlineNanos >= 0;
        } else {
            count(0);
            over = over || ((operations() & CLOCK_MASK) == 0 && System.nanoTime() - deadlineNanos >= 0);
        }
        if (!over) {
            begin(lane);
        } else if (--active == 0) {
            finished();
        }
    }
}
