package io.reactorucx.internal.memory;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** A one-sided write of a lease to a peer's memory. */
final class OneSidedPut extends LeaseOperation<Void> {

    private final OneSidedAccess memory;
    private final long offset;
    private final long length;

    /** Creates an operation that releases the lease, which the caller has retained. */
    OneSidedPut(OperationMono<Void> mono, OneSidedAccess memory, long offset, LeasedBuffer retained,
            CoreSubscriber<? super Void> subscriber) {
        super(mono, subscriber);
        this.memory = memory;
        this.offset = offset;
        this.length = retained.length();
        keep(retained);
    }

    @Override
    public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        LeasedBuffer source = lease();
        return endpoint.put(source.segment(), source.registration(), memory.key(endpoint), offset, this);
    }

    @Override
    public @Nullable Void result(long receivedLength, long tag) {
        return null;
    }

    @Override
    protected long bytes(long receivedLength) {
        return length;
    }
}
