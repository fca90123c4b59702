package io.reactorucx.internal.memory;

import io.reactorucx.core.AtomicOperation;
import io.reactorucx.core.AtomicWidth;
import io.reactorucx.core.UcpAtomics;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpRemoteKey;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import reactor.core.CoreSubscriber;

/** An atomic operation of UCX that returns the old value, which UCX writes into a lease. */
final class OneSidedFetch extends LeaseOperation<Long> {

    private final OneSidedAccess memory;
    private final LeasePool pool;
    private final long offset;
    private final AtomicRequest call;

    OneSidedFetch(OperationMono<Long> mono, OneSidedAccess memory, LeasePool pool, long offset, AtomicRequest call,
            CoreSubscriber<? super Long> actual) {
        super(mono, actual);
        this.memory = memory;
        this.pool = pool;
        this.offset = offset;
        this.call = call;
    }

    @Override
    public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        UcpAtomics atomics = endpoint.atomics();
        UcpRemoteKey key = memory.key(endpoint);
        MemorySegment old = lease(pool, call.width().bytes()).segment();
        return call.operation() == AtomicOperation.COMPARE_AND_SWAP
                ? atomics.compareAndSwap(call.width(), call.expected(), call.operand(), old, key, offset, this)
                : atomics.fetch(call.operation(), call.width(), call.operand(), old, key, offset, this);
    }

    @Override
    public Long result(long receivedLength, long tag) {
        MemorySegment old = lease().segment();
        return call.width() == AtomicWidth.INT ? (long) old.get(ValueLayout.JAVA_INT, 0)
                : old.get(ValueLayout.JAVA_LONG, 0);
    }

    @Override
    protected long bytes(long receivedLength) {
        return call.width().bytes();
    }
}
