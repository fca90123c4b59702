package io.reactorucx.internal.ucp;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.transport.buffer.LeakRecord;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** The fetch of a message's offered data. */
abstract class FetchOperation<T> extends LeaseOperation<T> {

    /** The words for the content of a lease, for the report of a leak. */
    static final String RECEIVED = "the data of an active message from";

    private final ActiveMessage message;
    private final RendezvousOffer offer;
    private boolean posted;

    FetchOperation(OperationMono<T> mono, ActiveMessage message, RendezvousOffer offer,
            CoreSubscriber<? super T> actual, @Nullable LeakRecord place) {
        super(mono, actual, place);
        this.message = message;
        this.offer = offer;
    }

    abstract MemorySegment destination();

    @Nullable UcpMemory registration() {
        return null;
    }

    @Override
    public final boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        if (!offer.take()) {
            throw new IllegalStateException("active message " + message.id()
                    + ": its data was fetched or discarded before");
        }
        try {
            boolean done = worker.activeMessages().fetch(offer.message(), destination(), registration(), this);
            offer.offers().fetched(offer);
            posted = true;
            return done;
        } catch (RuntimeException e) {
            if (worker.activeMessages().holds(offer.message())) {
                offer.giveBack();
            } else {
                offer.offers().fetched(offer);
            }
            throw e;
        }
    }

    /**
     * A subscriber that cancels before the fetch was posted gives the data up; after an error it can be fetched again.
     */
    @Override
    public final void released() {
        if (!posted && isOver()) {
            offer.discard();
        }
        super.released();
    }

    @Override
    protected final long bytes(long receivedLength) {
        return message.length();
    }

    /** Into memory of the caller. */
    static final class IntoSegment extends FetchOperation<MemorySegment> {

        private final MemorySegment segment;

        IntoSegment(OperationMono<MemorySegment> mono, ActiveMessage message, RendezvousOffer offer,
                CoreSubscriber<? super MemorySegment> actual,
                MemorySegment segment) {
            super(mono, message, offer, actual, null);
            this.segment = segment;
        }

        @Override
        MemorySegment destination() {
            return segment;
        }

        @Override
        public MemorySegment result(long receivedLength, long tag) {
            return segment;
        }
    }

    /** Into a lease, which the subscriber gets. */
    static final class IntoPool extends FetchOperation<UcxBuffer> {

        private final LeasePool pool;
        private final long length;

        IntoPool(OperationMono<UcxBuffer> mono, ActiveMessage message, RendezvousOffer offer,
                CoreSubscriber<? super UcxBuffer> actual,
                LeasePool pool, @Nullable LeakRecord place) {
            super(mono, message, offer, actual, place);
            this.pool = pool;
            this.length = message.length();
        }

        @Override
        MemorySegment destination() {
            return lease(pool, length).segment();
        }

        @Override
        @Nullable UcpMemory registration() {
            return lease().registration();
        }

        @Override
        public @Nullable UcxBuffer result(long receivedLength, long tag) {
            return handOver(RECEIVED);
        }
    }
}
