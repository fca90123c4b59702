package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxConnection;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.IntArrayList;

/**
 * Starts operations at scheduled times. Each is timed from its scheduled start, so that operations which a slow one
 * delays count as slow as well.
 */
public final class FixedRate extends LaneLoad {

    private final Pace pace;
    private final double rate;
    private final long[] intended;
    private final IntArrayList free = new IntArrayList();
    private long startNanos;
    private long wanted;
    private long begun;
    private long giveUpNanos;
    private boolean over;

    public FixedRate(UcxConnection connection, LaneOperations operations, int lanes, double rate, Pace pace) {
        super(connection, operations);
        this.rate = rate;
        this.pace = pace;
        intended = new long[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            free.addInt(lane);
        }
    }

    /** Whether all scheduled operations started, however late. */
    public boolean isReached() {
        return begun == wanted;
    }

    @Override
    public void start(long nowNanos, long nanos) {
        startNanos = nowNanos;
        wanted = Math.max(1, (long) (rate * nanos / TimeUnit.SECONDS.toNanos(1)));
        // Late operations still run and are recorded, within a limit.
        giveUpNanos = nowNanos + 2 * nanos + TimeUnit.SECONDS.toNanos(1);
        begun = 0;
        over = false;
        pace.start(this::tick, startNanos, rate);
    }

    private long intendedNanos(long number) {
        return startNanos + (long) (number * (double) TimeUnit.SECONDS.toNanos(1) / rate);
    }

    /** Starts the operations that are due. */
    private void tick() {
        if (over) {
            return;
        }
        long now = System.nanoTime();
        boolean tooLate = now - giveUpNanos >= 0;
        while (begun < wanted && !tooLate && intendedNanos(begun) - now <= 0 && !free.isEmpty()) {
            int lane = free.removeAt(free.size() - 1);
            intended[lane] = intendedNanos(begun);
            begun++;
            begin(lane);
        }
        if ((begun == wanted || tooLate) && free.size() == intended.length) {
            over = true;
            pace.stop();
            finished();
        }
    }

    @Override
    public void ended(int lane) {
        count(System.nanoTime() - intended[lane]);
        free.addInt(lane);
        tick();
    }
}
