package io.reactorucx;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** A read of a peer's memory into a lease, which is taken when the read is posted and is the subscriber's once it has it. */
final class LeasedGet extends OperationMono<UcxBuffer> {

    private final OneSidedMemory memory;
    private final long offset;
    private final int length;
    private final UcxBufferPool pool;

    LeasedGet(ConnectionCore connection, OneSidedMemory memory, long offset, int length, UcxBufferPool pool) {
        super(connection, OperationKind.GET);
        this.memory = memory;
        this.offset = offset;
        this.length = length;
        this.pool = pool;
    }

    @Override
    ConnectionOperation<UcxBuffer> operation(CoreSubscriber<? super UcxBuffer> actual) {
        return new GetOperation(this, actual);
    }

    private static final class GetOperation extends ConnectionOperation<UcxBuffer> {

        private final LeasedGet get;
        private final @Nullable LeakPlace asked;
        private @Nullable UcxBuffer buffer;

        GetOperation(LeasedGet get, CoreSubscriber<? super UcxBuffer> actual) {
            super(get, actual);
            this.get = get;
            this.asked = get.pool.place();
        }

        @Override
        boolean post(UcpWorker worker, UcpEndpoint endpoint) {
            UcxBuffer leased = get.pool.acquire(get.length, asked);
            buffer = leased;
            return endpoint.get(leased.segment(), leased.registration(), get.memory.key(endpoint), get.offset, this);
        }

        @Override
        @Nullable UcxBuffer result(long receivedLength, long tag) {
            UcxBuffer filled = buffer;
            buffer = null;
            return filled;
        }

        @Override
        void released() {
            UcxBuffer unused = buffer;
            if (unused != null) {
                buffer = null;
                unused.release();
            }
        }

        @Override
        protected long bytes(long receivedLength) {
            return get.length;
        }
    }
}
