package io.reactorucx.internal.ucp;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpData;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpStream;
import io.reactorucx.core.UcpStreamData;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxException;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.buffer.BufferPool;
import io.reactorucx.internal.buffer.LeakRecord;
import io.reactorucx.internal.buffer.LeasedBuffer;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.ProtocolHandler;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * The receiving end of a connection's byte stream. UCX cannot cancel a receive of a stream: one that a subscriber has
 * left goes on, and what it brings waits for the next subscriber.
 *
 * <p>All state but the demand belongs to the engine's thread.
 */
public final class ByteStreamReceiver implements ProtocolHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ByteStreamReceiver.class);

    /** Receives that are posted at once, for so many leases may be held while nobody subscribes. */
    private static final int MOST_POSTED = 2;

    private final ConnectionCore connection;
    private final Outcome outcome = new Outcome(this);
    private final Queue<UcxBuffer> arrived = new ArrayDeque<>();
    private final Queue<UcxBuffer> rest = new ArrayDeque<>();
    private @Nullable Receiver receiver;
    private int posted;
    private boolean draining;
    private boolean missed;
    private boolean ended;
    private @Nullable RuntimeException error;

    public ByteStreamReceiver(ConnectionCore connection) {
        this.connection = connection;
    }

    public Flux<UcxBuffer> flux(BufferPool pool, int chunkBytes) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super UcxBuffer> actual) {
                Receiver subscription = new Receiver(ByteStreamReceiver.this, actual, pool, chunkBytes);
                actual.onSubscribe(subscription);
                connection.execute(worker -> register(subscription), subscription::terminate);
            }
        };
    }

    private void register(Receiver subscription) {
        Receiver before = receiver;
        if (subscription.cancelled) {
            return;
        }
        if (before != null && !before.cancelled) {
            subscription.terminate(new IllegalStateException("stream: this connection has a receiver for it already"));
            return;
        }
        receiver = subscription;
        drain();
    }

    /** Nothing more will be asked of UCX: what has come is delivered, then the subscriber hears of the end. */
    @Override
    public void endReceivers(@Nullable UcxException cause) {
        if (!ended) {
            ended = true;
            error = cause;
            Receiver current = receiver;
            UcpEndpoint open = connection.endpoint();
            if (cause == null && current != null && !current.cancelled && open != null && !open.isClosed()
                    && open.failure() == 0) {
                takeRest(open.stream(), current);
            }
            drain();
        }
    }

    /**
     * Takes what UCX has and would drop with the endpoint, as far as it is asked for; it follows what the posted
     * receives bring.
     */
    private void takeRest(UcpStream stream, Receiver current) {
        try {
            Optional<UcpStreamData> next = current.demand > rest.size() ? stream.borrow() : Optional.empty();
            while (next.isPresent()) {
                try (UcpStreamData data = next.get()) {
                    copy(data.segment(), current);
                }
                next = current.demand > rest.size() ? stream.borrow() : Optional.empty();
            }
        } catch (RuntimeException e) {
            // Of the pool as well: the end of the connection goes on, whatever became of its last bytes.
            error = e;
        }
    }

    private void copy(MemorySegment data, Receiver current) {
        for (long offset = 0; offset < data.byteSize(); offset += current.chunkBytes) {
            long bytes = Math.min(current.chunkBytes, data.byteSize() - offset);
            UcxBuffer lease = current.pool.acquire(bytes, current.asked);
            MemorySegment.copy(data, offset, lease.segment(), 0, bytes);
            rest.add(lease);
        }
    }

    private void received(UcxBuffer data) {
        posted--;
        arrived.add(data);
        drain();
    }

    private void failed(RuntimeException cause) {
        posted--;
        Receiver current = receiver;
        if (!ended && current != null) {
            receiver = null;
            current.terminate(cause);
        }
        drain();
    }

    /** The engine is gone: what has come goes back, asked for or not, and the subscriber hears of the end at once. */
    @Override
    public void abandon(RuntimeException cause) {
        if (error == null) {
            error = cause;
        }
        ended = true;
        Receiver current = receiver;
        receiver = null;
        drop();
        if (current != null) {
            current.terminate(error);
        }
    }

    /** Whether nobody is left who waits for the end. */
    @Override
    public boolean isDelivered() {
        return receiver == null || receiver.cancelled;
    }

    /**
     * Signals may come back here, to ask for more, to leave, or with the next subscriber: those are for another round.
     */
    private void drain() {
        missed = true;
        if (draining) {
            return;
        }
        draining = true;
        try {
            while (missed) {
                missed = false;
                deliver();
            }
        } finally {
            draining = false;
        }
    }

    private void deliver() {
        Receiver current = receiver;
        if (posted == 0) {
            arrived.addAll(rest);
            rest.clear();
        }
        while (current != null && !current.cancelled && current.demand > 0 && !arrived.isEmpty()) {
            Operators.produced(Receiver.DEMAND, current, 1);
            current.emit(arrived.remove());
        }
        if (current != null && current.cancelled && receiver == current) {
            receiver = null;
        }
        current = receiver;
        if (!ended) {
            post(current);
        } else if (current == null) {
            drop();
        } else if (arrived.isEmpty() && rest.isEmpty() && posted == 0) {
            receiver = null;
            current.terminate(error);
        }
    }

    private void drop() {
        arrived.addAll(rest);
        rest.clear();
        arrived.forEach(UcxBuffer::release);
        arrived.clear();
    }

    private void post(@Nullable Receiver current) {
        while (current != null && !current.cancelled && posted < MOST_POSTED && posted < current.demand) {
            posted++;
            current.receives.operation(outcome).request(1);
        }
    }

    /** One subscription. */
    private static final class Receiver implements Subscription {

        private static final AtomicLongFieldUpdater<Receiver> DEMAND = AtomicLongFieldUpdater.newUpdater(Receiver.class,
                "demand");

        private final ByteStreamReceiver inbox;
        private final CoreSubscriber<? super UcxBuffer> subscriber;
        private final BufferPool pool;
        private final int chunkBytes;
        private final @Nullable LeakRecord asked;
        private final OperationMono<UcxBuffer> receives;
        private final CoalescedCommand drain;
        private volatile long demand;
        private volatile boolean cancelled;

        Receiver(ByteStreamReceiver inbox, CoreSubscriber<? super UcxBuffer> subscriber, BufferPool pool,
                int chunkBytes) {
            this.inbox = inbox;
            this.subscriber = subscriber;
            this.pool = pool;
            this.chunkBytes = chunkBytes;
            this.asked = pool.place();
            this.drain = new CoalescedCommand(inbox.connection.engine(), inbox::drain);
            this.receives = OperationMono.of(inbox.connection,
                    OperationKind.STREAM_RECEIVE, (mono, actual) -> new Receive(mono, actual, this));
        }

        private void emit(UcxBuffer data) {
            try {
                subscriber.onNext(data);
            } catch (RuntimeException | LinkageError e) {
                LOG.error("[{}] the receiver of the stream threw", inbox.connection.peer(), e);
                cancelled = true;
            }
        }

        private void terminate(@Nullable RuntimeException cause) {
            if (cancelled) {
                return;
            }
            cancelled = true;
            if (cause == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(cause);
            }
        }

        @Override
        public void request(long n) {
            if (Operators.validate(n)) {
                Operators.addCap(DEMAND, this, n);
                if (!inbox.connection.engine().isEngineThread() || !inbox.draining) {
                    drain.submit();
                }
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            drain.submit();
        }
    }

    /** One receive of UCX, into a lease. */
    private static final class Receive extends LeaseOperation<UcxBuffer> {

        private final BufferPool pool;
        private final int chunkBytes;

        Receive(OperationMono<UcxBuffer> mono, CoreSubscriber<? super UcxBuffer> outcome, Receiver receiver) {
            super(mono, outcome, receiver.asked);
            this.pool = receiver.pool;
            this.chunkBytes = receiver.chunkBytes;
        }

        @Override
        public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
            LeasedBuffer leased = lease(pool, chunkBytes);
            endpoint.stream().receive(UcpData.of(leased.segment(), leased.registration()), false, this);
            return false;
        }

        @Override
        public @Nullable UcxBuffer result(long receivedLength, long tag) {
            LeasedBuffer filled = handOver();
            return filled == null ? null : filled.shorten(receivedLength);
        }

        @Override
        protected long bytes(long receivedLength) {
            return receivedLength;
        }
    }

    /** Where the receives of UCX signal to; not the subscriber, who may be another one by then. */
    private record Outcome(ByteStreamReceiver inbox) implements CoreSubscriber<UcxBuffer> {

        @Override
        public void onSubscribe(Subscription subscription) {
        }

        @Override
        public void onNext(UcxBuffer data) {
            inbox.received(data);
        }

        @Override
        public void onError(Throwable cause) {
            inbox.failed(cause instanceof RuntimeException known ? known : new IllegalStateException(cause));
        }

        @Override
        public void onComplete() {
        }
    }
}
