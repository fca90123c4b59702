package io.reactorucx.internal.ucp;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpData;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpStream;
import io.reactorucx.core.UcpStreamData;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.concurrent.ReceiverSubscription;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.lease.ReceiverName;
import io.reactorucx.internal.operation.LeaseOperation;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.buffer.Lease;
import io.reactorucx.transport.command.DrainLoop;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolHandler;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * Receives the byte stream of a connection. UCX cannot cancel a receive of a stream: when the subscriber cancels, a
 * posted receive goes on, and its data waits for the next subscriber.
 *
 * <p>Thread: engine, {@link #flux} aside.
 */
public final class ByteStreamReceiver extends DrainLoop implements ProtocolHandler {

    /** Receives that are posted at once, and so the leases that may be held without a subscriber. */
    private static final int MAX_POSTED = 2;

    private final ConnectionCore connection;
    private final Outcome outcome = new Outcome(this);
    private final Queue<UcxBuffer> arrived = new ArrayDeque<>();
    private final Queue<UcxBuffer> rest = new ArrayDeque<>();
    private @Nullable Receiver receiver;
    private int posted;
    private boolean ended;
    private @Nullable RuntimeException error;

    public ByteStreamReceiver(ConnectionCore connection) {
        this.connection = connection;
    }

    public Flux<UcxBuffer> flux(LeasePool pool, int chunkBytes) {
        LeakRecord place = pool.place();
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super UcxBuffer> actual) {
                Receiver subscription = new Receiver(ByteStreamReceiver.this, actual, pool, chunkBytes,
                        place);
                actual.onSubscribe(subscription);
                connection.execute(worker -> register(subscription), subscription::terminate);
            }
        };
    }

    private void register(Receiver subscription) {
        Receiver before = receiver;
        if (!subscription.isActive()) {
            return;
        }
        if (before != null && before.isActive()) {
            subscription.terminate(new IllegalStateException("stream: this connection has a receiver for it already"));
            return;
        }
        receiver = subscription;
        drain();
    }

    /** Posts no more receives: the subscription ends after the data that has arrived. */
    @Override
    public void endReceivers(@Nullable UcxException cause) {
        if (!ended) {
            ended = true;
            error = cause;
            Receiver current = receiver;
            UcpEndpoint open = connection.carrier().endpoint();
            if (cause == null && current != null && current.isActive() && open != null && !open.isClosed()
                    && open.failure() == 0) {
                takeRest(open.stream(), current);
            }
            drain();
        }
    }

    /**
     * Takes the data that UCX would drop with the endpoint, as far as the subscriber has requested it. It follows the
     * data of the posted receives.
     */
    private void takeRest(UcpStream stream, Receiver current) {
        try {
            Optional<UcpStreamData> next = current.demand() > rest.size() ? stream.borrow() : Optional.empty();
            while (next.isPresent()) {
                try (UcpStreamData data = next.get()) {
                    copy(data.segment(), current);
                }
                next = current.demand() > rest.size() ? stream.borrow() : Optional.empty();
            }
        } catch (RuntimeException e) {
            // Includes an exhausted pool. Closing continues even if the last bytes could not be copied.
            error = e;
        }
    }

    private void copy(MemorySegment data, Receiver current) {
        for (long offset = 0; offset < data.byteSize(); offset += current.chunkBytes) {
            long bytes = Math.min(current.chunkBytes, data.byteSize() - offset);
            UcxBuffer lease = current.pool.acquire(bytes, current.place);
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

    /** The engine has ended: releases the data that has arrived, and ends the subscription at once. */
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

    /** Returns whether no subscription waits for its end. */
    @Override
    public boolean isDelivered() {
        return receiver == null || !receiver.isActive();
    }

    private void drain() {
        loop();
    }

    @Override
    protected void round() {
        Receiver current = receiver;
        if (posted == 0) {
            arrived.addAll(rest);
            rest.clear();
        }
        while (current != null && current.wants() && !arrived.isEmpty()) {
            current.deliver(arrived.remove());
        }
        if (current != null && !current.isActive() && receiver == current) {
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
        while (current != null && current.isActive() && posted < MAX_POSTED && posted < current.demand()) {
            posted++;
            current.receives.operation(outcome).request(1);
        }
    }

    /** One subscription. */
    private static final class Receiver extends ReceiverSubscription<UcxBuffer> {

        private final ByteStreamReceiver stream;
        private final LeasePool pool;
        private final int chunkBytes;
        private final @Nullable LeakRecord place;
        private final OperationMono<UcxBuffer> receives;

        Receiver(ByteStreamReceiver stream, CoreSubscriber<? super UcxBuffer> subscriber, LeasePool pool,
                int chunkBytes, @Nullable LeakRecord place) {
            super(stream.connection.engine(), subscriber);
            this.stream = stream;
            this.pool = pool;
            this.chunkBytes = chunkBytes;
            this.place = place;
            this.receives = OperationMono.of(stream.connection, OperationKind.STREAM_RECEIVE,
                    (mono, actual) -> new Receive(mono, actual, this));
        }

        void deliver(UcxBuffer data) {
            Lease.addOrigin(data, "a part of the byte stream of", stream.connection.peer(), subscriber(),
                    ReceiverName::of, place);
            emit(data);
        }

        @Override
        protected void demanded() {
            stream.drain();
        }

        @Override
        protected void left() {
            stream.drain();
        }

        @Override
        protected void discard(UcxBuffer data) {
            data.dispose();
        }

        @Override
        protected String description() {
            return "[" + stream.connection.peer() + "] receive of the byte stream";
        }
    }

    /** One receive of UCX, into a lease. */
    private static final class Receive extends LeaseOperation<UcxBuffer> {

        private final LeasePool pool;
        private final int chunkBytes;

        Receive(OperationMono<UcxBuffer> mono, CoreSubscriber<? super UcxBuffer> outcome, Receiver receiver) {
            super(mono, outcome, receiver.place);
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

    /** Takes the results of UCX's receives, since the subscription may have changed meanwhile. */
    private record Outcome(ByteStreamReceiver stream) implements CoreSubscriber<UcxBuffer> {

        @Override
        public void onSubscribe(Subscription subscription) {
        }

        @Override
        public void onNext(UcxBuffer data) {
            stream.received(data);
        }

        @Override
        public void onError(Throwable cause) {
            stream.failed(cause instanceof RuntimeException known ? known : new IllegalStateException(cause));
        }

        @Override
        public void onComplete() {
        }
    }
}
