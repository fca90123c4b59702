package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.buffer.BufferPool;
import io.reactorucx.internal.buffer.LeasedBuffer;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.operation.OperationSubscription;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** A one-sided read of a peer's memory into a lease, which the operation takes and the subscriber gets. */
final class OneSidedGet extends OperationMono<UcxBuffer> {

    private final OneSidedAccess memory;
    private final long offset;
    private final int length;
    private final BufferPool pool;

    OneSidedGet(ConnectionCore connection, OneSidedAccess memory, long offset, int length, BufferPool pool) {
        super(connection, OperationKind.GET);
        this.memory = memory;
        this.offset = offset;
        this.length = length;
        this.pool = pool;
    }

    @Override
    public OperationSubscription<UcxBuffer> operation(CoreSubscriber<? super UcxBuffer> actual) {
        return new GetOperation(this, actual);
    }

    private static final class GetOperation extends LeaseOperation<UcxBuffer> {

        private final OneSidedGet get;

        GetOperation(OneSidedGet get, CoreSubscriber<? super UcxBuffer> actual) {
            super(get, actual, get.pool.place());
            this.get = get;
        }

        @Override
        public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
            LeasedBuffer leased = lease(get.pool, get.length);
            return endpoint.get(leased.segment(), leased.registration(), get.memory.key(endpoint), get.offset, this);
        }

        @Override
        public @Nullable UcxBuffer result(long receivedLength, long tag) {
            return handOver();
        }

        @Override
        protected long bytes(long receivedLength) {
            return get.length;
        }
    }
}
