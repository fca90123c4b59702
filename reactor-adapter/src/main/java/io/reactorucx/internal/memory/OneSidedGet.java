package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.transport.buffer.LeakRecord;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** A one-sided read of a peer's memory into a lease, which the operation takes and the subscriber gets. */
final class OneSidedGet extends LeaseOperation<UcxBuffer> {

    private final OneSidedAccess memory;
    private final LeasePool pool;
    private final long offset;
    private final int length;

    OneSidedGet(OperationMono<UcxBuffer> mono, OneSidedAccess memory, LeasePool pool, long offset, int length,
            CoreSubscriber<? super UcxBuffer> subscriber, @Nullable LeakRecord place) {
        super(mono, subscriber, place);
        this.memory = memory;
        this.pool = pool;
        this.offset = offset;
        this.length = length;
    }

    @Override
    public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        LeasedBuffer leased = lease(pool, length);
        return endpoint.get(leased.segment(), leased.registration(), memory.key(endpoint), offset, this);
    }

    @Override
    public @Nullable UcxBuffer result(long receivedLength, long tag) {
        return handOver(ChunkedGet.RECEIVED);
    }

    @Override
    protected long bytes(long receivedLength) {
        return length;
    }
}
