package io.reactorucx.application;

import io.reactorucx.RemoteMemory;
import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.UcxResponder;
import java.time.Duration;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** An application, outside of the library's packages, that loses what it has. */
public final class LeakingApplication {

    private LeakingApplication() {
    }

    /**
     * Loses a lease.
     *
     * @param pool where it comes from
     * @param bytes its size
     */
    public static void dropLease(UcxBufferPool pool, long bytes) {
        pool.acquire(bytes);
    }

    /**
     * Waits for a lease on another thread than the one that asks for it, and loses it.
     *
     * @param pool where it comes from
     * @return completes when there was a lease
     */
    public static Mono<Void> dropAwaited(UcxBufferPool pool) {
        return Mono.just(1).publishOn(Schedulers.parallel()).flatMap(bytes -> pool.acquireLater(bytes))
                .map(UcxBuffer::length).then();
    }

    /**
     * Does things with a lease, and loses it.
     *
     * @param pool where it comes from
     * @param touches how often to touch it
     */
    public static void useAndDropLease(UcxBufferPool pool, int touches) {
        UcxBuffer lease = pool.acquire(10);
        lease.retain();
        for (int i = 0; i < touches; i++) {
            lease.touch("touch number " + i);
        }
        lease.release();
    }

    /**
     * Receives messages and loses them.
     *
     * @param connection where they come from
     * @param id their id
     * @param seen told the size of each
     * @return the subscription
     */
    public static Disposable dropMessages(UcxConnection connection, int id, Consumer<Long> seen) {
        return connection.activeMessages().receive(id).subscribe(message -> seen.accept(message.length()));
    }

    /**
     * Fetches the data of a message.
     *
     * @param message the message
     * @param pool where to fetch it
     * @return its size; the lease is lost
     */
    public static Mono<Long> fetchAndDrop(ActiveMessage message, UcxBufferPool pool) {
        return Mono.defer(() -> subscribe(message, pool));
    }

    private static Mono<Long> subscribe(ActiveMessage message, UcxBufferPool pool) {
        return Mono.fromFuture(message.fetch(pool).map(UcxBuffer::length).toFuture());
    }

    /**
     * Receives messages and loses them.
     *
     * @param connection where they come from
     * @return the subscription
     */
    public static Disposable dropInbound(UcxConnection connection) {
        return connection.inbound().receive().map(UcxBuffer::length).subscribe();
    }

    /**
     * Sends a request and loses the response.
     *
     * @param connection to the peer that responds
     * @param bytes size of the request
     * @return completes with the response
     */
    public static Mono<Void> dropResponse(UcxConnection connection, int bytes) {
        return connection.requester().requestResponse(leaseOf(connection, bytes)).map(UcxBuffer::length).then();
    }

    /**
     * Sends a request with a deadline and loses the responses.
     *
     * @param connection to the peer that responds
     * @param bytes size of the request
     * @return completes with the last response
     */
    public static Mono<Void> dropResponses(UcxConnection connection, int bytes) {
        return connection.requester().withDeadline(Duration.ofHours(1)).requestStream(leaseOf(connection, bytes))
                .map(UcxBuffer::length).then();
    }

    /**
     * Opens a channel and loses the responses.
     *
     * @param connection to the peer that responds
     * @param bytes size of the only request
     * @return completes with the last response
     */
    public static Mono<Void> dropChannel(UcxConnection connection, int bytes) {
        return connection.requester().requestChannel(Mono.just(leaseOf(connection, bytes))).map(UcxBuffer::length)
                .then();
    }

    private static UcxBuffer leaseOf(UcxConnection connection, int bytes) {
        return connection.resources().buffers().acquire(bytes);
    }

    /**
     * Receives tagged messages and loses them.
     *
     * @param connection where they come from
     * @param tag their tag
     * @param bytes their size
     * @return the subscription
     */
    public static Disposable dropTagged(UcxConnection connection, long tag, int bytes) {
        return connection.tags().receiveAll(tag, -1, bytes).map(message -> message.data().length()).subscribe();
    }

    /**
     * Fetches the data of messages and loses it.
     *
     * @param connection where they come from
     * @param id their id
     * @return the subscription
     */
    public static Disposable dropFetched(UcxConnection connection, int id) {
        return connection.activeMessages().receive(id)
                .flatMap(message -> message.fetch(connection.resources().buffers())).map(UcxBuffer::length).subscribe();
    }

    /**
     * Receives a byte stream and loses it.
     *
     * @param connection where it comes from
     * @return the subscription
     */
    public static Disposable dropStream(UcxConnection connection) {
        return connection.streams().receive().map(UcxBuffer::length).subscribe();
    }

    /**
     * Reads memory and loses what it has read.
     *
     * @param memory memory of a peer
     * @param chunkBytes read at once
     * @return completes when all was read
     */
    public static Mono<Void> dropRead(RemoteMemory memory, int chunkBytes) {
        return memory.getFlux(chunkBytes, 1).map(UcxBuffer::length).then();
    }

    /** Loses requests, and responds with as many bytes. */
    public static final class Responder implements UcxResponder {

        private final UcxBufferPool pool;

        /**
         * Creates a responder.
         *
         * @param pool where the responses come from
         */
        public Responder(UcxBufferPool pool) {
            this.pool = pool;
        }

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            long bytes = request.length();
            return Mono.fromSupplier(() -> pool.acquire(bytes));
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            return requestResponse(request).flux();
        }

        @Override
        public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
            return requests.flatMap(this::requestResponse);
        }
    }
}
