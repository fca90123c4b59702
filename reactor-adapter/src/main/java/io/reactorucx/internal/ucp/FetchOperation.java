package io.reactorucx.internal.ucp;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpActiveMessages;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.command.ApplicationException;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;

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

    /** Moves or shows the data, and returns whether that is done. */
    abstract boolean fetch(UcpActiveMessages messages, UcpActiveMessage offered);

    @Override
    public final boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        if (!offer.take()) {
            throw new IllegalStateException("active message " + message.id()
                    + ": its data was fetched or discarded before");
        }
        try {
            boolean done = fetch(worker.activeMessages(), offer.message());
            offer.offers().fetched(offer);
            posted = true;
            return done;
        } catch (RuntimeException | Error e) {
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
        boolean fetch(UcpActiveMessages messages, UcpActiveMessage offered) {
            return messages.fetch(offered, segment, null, this);
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
        boolean fetch(UcpActiveMessages messages, UcpActiveMessage offered) {
            MemorySegment destination = lease(pool, length).segment();
            return messages.fetch(offered, destination, lease().registration(), this);
        }

        @Override
        public @Nullable UcxBuffer result(long receivedLength, long tag) {
            return handOver(RECEIVED);
        }
    }

    /** By a function, where it is. */
    static final class InPlace<T> extends FetchOperation<T> {

        private final Function<? super MemorySegment, ? extends @Nullable T> reader;
        private @Nullable T value;

        InPlace(OperationMono<T> mono, ActiveMessage message, RendezvousOffer offer, CoreSubscriber<? super T> actual,
                Function<? super MemorySegment, ? extends @Nullable T> reader) {
            super(mono, message, offer, actual, null);
            this.reader = reader;
        }

        @Override
        boolean fetch(UcpActiveMessages messages, UcpActiveMessage offered) {
            messages.read(offered, data -> value = apply(data));
            return true;
        }

        /** Throws what the subscriber gets: a function can throw checked exceptions, too, and errors. */
        private @Nullable T apply(MemorySegment data) {
            try {
                return reader.apply(data);
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                throw t instanceof VirtualMachineError ? new ApplicationException(t) : Exceptions.propagate(t);
            }
        }

        @Override
        public @Nullable T result(long receivedLength, long tag) {
            return value;
        }
    }
}
