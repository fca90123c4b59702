package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.operation.OperationSubscription;
import io.reactorucx.message.TaggedBuffer;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.endpoint.OperationOwner;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** A tag receive into a lease, which is taken when the receive is posted and is the subscriber's once it has it. */
public final class LeasedTagReceive extends OperationMono<TaggedBuffer> {

    private final long tag;
    private final long mask;
    private final int maxBytes;
    private final LeasePool pool;
    private final @Nullable LeakRecord place;

    public LeasedTagReceive(OperationOwner connection, long tag, long mask, int maxBytes, LeasePool pool) {
        super(connection, OperationKind.TAG_RECEIVE);
        this.tag = tag;
        this.mask = mask;
        this.maxBytes = maxBytes;
        this.pool = pool;
        this.place = pool.place();
    }

    @Override
    public OperationSubscription<TaggedBuffer> operation(CoreSubscriber<? super TaggedBuffer> actual) {
        return new ReceiveOperation(this, actual);
    }

    private static final class ReceiveOperation extends LeaseOperation<TaggedBuffer> {

        private final LeasedTagReceive receive;
        private long posted;

        ReceiveOperation(LeasedTagReceive receive, CoreSubscriber<? super TaggedBuffer> actual) {
            super(receive, actual, receive.place);
            this.receive = receive;
        }

        @Override
        public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
            LeasedBuffer leased = lease(receive.pool, receive.maxBytes);
            posted = worker.tags().receive(leased.segment(), leased.registration(), receive.tag, receive.mask, this);
            return false;
        }

        @Override
        public void cancelled(UcpWorker worker) {
            worker.tags().cancel(posted);
        }

        @Override
        public @Nullable TaggedBuffer result(long receivedLength, long senderTag) {
            LeasedBuffer filled = handOver("a tagged message for the connection to");
            return filled == null ? null : new TaggedBuffer(senderTag, filled.shorten(receivedLength));
        }

        @Override
        protected long bytes(long receivedLength) {
            return receivedLength;
        }
    }
}
