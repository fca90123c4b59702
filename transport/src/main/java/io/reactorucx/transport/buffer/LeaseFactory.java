package io.reactorucx.transport.buffer;

import java.lang.foreign.MemorySegment;

/** Makes the leases of a pool, of the type that the pool's users see. Thread: any. */
@FunctionalInterface
public interface LeaseFactory {

    /** Makes a lease on a part of a block, by its constructor. */
    Lease lease(SharedLease shared, MemorySegment segment);
}
