package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxConnection;
import io.reactorucx.benchmarks.turns.TurnRecorder;

/** Starts the next operation of a lane when the last one ends. */
public final class ClosedLoop extends LaneLoad {

    /** Operations between two readings of the clock, unless each is timed. */
    private static final int CLOCK_MASK = 15;
    /** Size from which the clock is read after each operation: some of them take milliseconds. */
    private static final int LARGE = 4096;

    private final long[] begun;
    private final int clockMask;
    private long deadlineNanos;
    private int active;
    private boolean over;

    public ClosedLoop(UcxConnection connection, LaneOperations operations, int lanes, int size) {
        super(connection, operations);
        clockMask = size >= LARGE ? 0 : CLOCK_MASK;
        begun = new long[lanes];
    }

    @Override
    public void start(long nowNanos, long nanos) {
        deadlineNanos = nowNanos + nanos;
        over = false;
        active = begun.length;
        for (int lane = 0; lane < begun.length; lane++) {
            begun[lane] = System.nanoTime();
            begin(lane);
        }
    }

    @Override
    public void ended(int lane) {
        if (records()) {
            long now = System.nanoTime();
            count(now - begun[lane]);
            TurnRecorder turns = turns();
            if (turns != null) {
                turns.operation(begun[lane], now);
            }
            begun[lane] = now;
            over = isOver(now);
        } else {
            count(0);
            if (!over && (operations() & clockMask) == 0) {
                long now = System.nanoTime();
                TurnRecorder turns = turns();
                if (turns != null) {
                    turns.operations(clockMask + 1L, now);
                }
                over = isOver(now);
            }
        }
        if (!over) {
            begin(lane);
        } else if (--active == 0) {
            finished();
        }
    }

    private boolean isOver(long now) {
        TurnRecorder turns = turns();
        return now - deadlineNanos >= 0 || turns != null && turns.isOver();
    }
}
