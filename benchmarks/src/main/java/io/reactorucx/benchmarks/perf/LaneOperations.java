package io.reactorucx.benchmarks.perf;

import io.reactorucx.buffer.UcxBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One kind of operation on one connection, of which each lane has at most one under way. On the connection's engine.
 */
abstract class LaneOperations {

    private final int[] awaited;
    private @Nullable LaneLoad load;

    LaneOperations(int lanes) {
        awaited = new int[lanes];
    }

    final void bind(LaneLoad user) {
        load = user;
    }

    /** Begins an operation. */
    abstract void begin(int lane);

    /** So many signals make the end of the operation that begins. */
    final void await(int lane, int signals) {
        awaited[lane] = signals;
    }

    /** One of them has come. */
    final void signalled(int lane) {
        if (--awaited[lane] == 0 && load != null) {
            load.ended(lane);
        }
    }

    final void failed(Throwable error) {
        if (load != null) {
            load.failed(error);
        }
    }

    /** A subscriber for what a lane has under way. */
    final Signals<Object> signalsOf(int lane) {
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
