package io.reactorucx.application;

import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.message.ActiveMessage;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

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
}
