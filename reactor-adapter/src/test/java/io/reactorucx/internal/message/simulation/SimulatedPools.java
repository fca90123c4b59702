package io.reactorucx.internal.message.simulation;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.transport.LeakDetection;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.buffer.Lease;
import io.reactorucx.transport.buffer.SharedLease;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Pools of registered memory for all seeds: of each side's messages, in two sizes, and of its application. */
final class SimulatedPools implements AutoCloseable {

    private static final long BYTES = 64L << 20;

    private final UcpContext context;
    private final List<LeasePool> pools = new ArrayList<>();
    /** All leases of the last seed. */
    private final List<UcxBuffer> leases = new ArrayList<>();
    private final LeasePool one;
    private final LeasePool two;

    SimulatedPools() {
        context = UcpContext.create(UcpConfig.builder().features(UcpFeature.AM, UcpFeature.WAKEUP)
                .transports("self").build());
        one = pool(BYTES);
        two = pool(BYTES);
    }

    private LeasePool pool(long bytes) {
        LeasePool made = new LeasePool(new BufferPool(context, this::lease, bytes, 1_000, false, 0,
                new LeakReporter(LeakDetection.DISABLED)));
        pools.add(made);
        return made;
    }

    private Lease lease(SharedLease shared, MemorySegment segment) {
        LeasedBuffer made = new LeasedBuffer(shared, segment);
        leases.add(made);
        return made;
    }

    /** Releases what a seed that has failed has left. */
    void reclaim() {
        leases.forEach(UcxBuffer::dispose);
        leases.clear();
    }

    LeasePool one() {
        return one;
    }

    LeasePool two() {
        return two;
    }

    @Override
    public void close() {
        pools.forEach(pool -> pool.buffers().close(() -> { }));
        context.close();
    }
}
