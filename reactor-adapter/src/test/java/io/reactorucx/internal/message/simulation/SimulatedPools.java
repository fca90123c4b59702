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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Pools of registered memory for all seeds: of each side's messages, in two sizes, and of its application. */
final class SimulatedPools implements AutoCloseable {

    /** Some slabs more than there are sizes of blocks in use. */
    private static final long BYTES = 32L << 20;
    /** One slab: blocks of another size wait until all of one size are free. */
    private static final long FEW_BYTES = BufferPool.SLAB_BYTES;

    private final UcpContext context;
    private final List<LeasePool> pools = new ArrayList<>();
    /** All leases of the last seed, and the last one at each address. */
    private final List<UcxBuffer> leases = new ArrayList<>();
    private final Map<Long, UcxBuffer> places = new HashMap<>();
    private final Side one;
    private final Side two;

    /** The pools of one side. */
    record Side(LeasePool messages, LeasePool fewMessages, LeasePool application) {
    }

    SimulatedPools() {
        context = UcpContext.create(UcpConfig.builder().features(UcpFeature.AM, UcpFeature.WAKEUP)
                .transports("self").build());
        one = side();
        two = side();
    }

    private Side side() {
        return new Side(pool(BYTES), pool(FEW_BYTES), pool(BYTES));
    }

    private LeasePool pool(long bytes) {
        LeasePool made = new LeasePool(new BufferPool(context, this::lease, bytes, 1_000, false, 0,
                new LeakReporter(LeakDetection.DISABLED)));
        made.buffers().watch().configure(Duration.ofDays(1), warning -> { });
        pools.add(made);
        return made;
    }

    private Lease lease(SharedLease shared, MemorySegment segment) {
        LeasedBuffer made = new LeasedBuffer(shared, segment);
        leases.add(made);
        places.put(segment.address(), made);
        return made;
    }

    /** Returns whether memory is leased now. */
    boolean isLeased(MemorySegment memory) {
        UcxBuffer lease = places.get(memory.address());
        return lease != null && isLeased(lease);
    }

    static boolean isLeased(UcxBuffer lease) {
        try {
            return lease.segment() != null;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** Releases what a seed that has failed has left. */
    void reclaim() {
        while (!leases.isEmpty()) {
            // Who waits for memory may get the next lease.
            leases.removeLast().dispose();
        }
        places.clear();
    }

    Side one() {
        return one;
    }

    Side two() {
        return two;
    }

    @Override
    public void close() {
        pools.forEach(pool -> pool.buffers().close(() -> { }));
        context.close();
    }
}
