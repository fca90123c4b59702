package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.buffer.UcxBuffer;
import org.jspecify.annotations.Nullable;

/** One kind of operation on one connection, with at most one in flight in each lane. Thread: engine. */
public abstract class LaneOperations {

    private final int[] awaited;
    private @Nullable LaneLoad load;

    public LaneOperations(int lanes) {
        awaited = new int[lanes];
    }

    public final void bind(LaneLoad user) {
        load = user;
    }

    /** Starts an operation. */
    public abstract void begin(int lane);

    /** Number of signals that end the operation. */
    public final void await(int lane, int signals) {
        awaited[lane] = signals;
    }

    /** Called for each signal. */
    public final void signalled(int lane) {
        if (--awaited[lane] == 0 && load != null) {
            load.ended(lane);
        }
    }

    public final void failed(Throwable error) {
        if (load != null) {
            load.failed(error);
        }
    }

    /** A subscriber of the operation that a lane has in flight. */
    public final Signals<Object> signalsOf(int lane) {
        return new Signals<>(this::failed) {
            @Override
            public void onNext(Object value) {
                if (value instanceof UcxBuffer lease) {
                    lease.release();
                }
            }

            @Override
            public void onComplete() {
                signalled(lane);
            }
        };
    }
}
