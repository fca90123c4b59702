package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.operation.SingleCallMono;
import io.reactorucx.internal.ucp.ByteStreamReceiver;
import io.reactorucx.transport.connection.ConnectionCore;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The byte stream of one connection ({@code ucp_stream_send_nbx}, {@code ucp_stream_recv_nbx}): bytes arrive in order,
 * without the borders of what was sent.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> a payload has to stay alive until
 * its Mono completes, after an error or a cancel until {@link UcxConnection#onDispose()}. <b>Errors:</b>
 * {@link io.reactorucx.core.error.UcxException}; {@link IllegalArgumentException} for an empty payload, on which UCX
 * aborts the receiver's process.
 */
public final class ByteStream {

    /** Size of the leases of {@link #receive()} in bytes. */
    public static final int DEFAULT_CHUNK_BYTES = 64 * 1024;

    private final ConnectionCore connection;
    private final LeasePool pool;

    ByteStream(ConnectionCore connection, LeasePool pool) {
        this.connection = connection;
        this.pool = pool;
    }

    /**
     * Sends bytes.
     *
     * @param payload native memory, at least 1 byte
     * @return completes when the payload is free again
     */
    public Mono<Void> send(MemorySegment payload) {
        Objects.requireNonNull(payload, "payload");
        return SingleCallMono.of(connection, OperationKind.STREAM_SEND, payload.byteSize(),
                (worker, endpoint, whenDone) -> endpoint.stream().send(payload, null, whenDone));
    }

    /**
     * Sends leased memory; the lease is kept while UCX uses it, and stays the caller's to release.
     *
     * @param payload a lease of at least 1 byte
     * @return completes when the payload is free again
     */
    public Mono<Void> send(UcxBuffer payload) {
        return SingleCallMono.retaining(Objects.requireNonNull(payload, "payload"), connection,
                OperationKind.STREAM_SEND,
                (worker, endpoint, whenDone) -> endpoint.stream()
                .send(payload.segment(), LeasedBuffer.of(payload).registration(), whenDone));
    }

    /** {@return as {@link #receive(int)}, in pieces of at most {@value #DEFAULT_CHUNK_BYTES} bytes} */
    public Flux<UcxBuffer> receive() {
        return receive(DEFAULT_CHUNK_BYTES);
    }

    /**
     * Receives what comes, one subscriber at a time. Nothing is lost between two of them: bytes that have come for one
     * that has cancelled go to the next. What is not asked for waits in UCX, and is dropped when the connection ends.
     *
     * @param chunkBytes most bytes of a piece, at least 1
     * @return leases of the pool, each as long as what has come and the subscriber's to release; completes after a
     *     graceful close, fails when the connection is lost
     */
    public Flux<UcxBuffer> receive(int chunkBytes) {
        if (chunkBytes < 1 || chunkBytes > pool.maxBytes()) {
            throw new IllegalArgumentException("chunkBytes " + chunkBytes + ": must be in 1.." + pool.maxBytes()
                    + ", the limit of the pool");
        }
        return Objects.requireNonNull(connection.protocol(ByteStreamReceiver.class)).flux(pool, chunkBytes);
    }

    @Override
    public String toString() {
        return "ByteStream[" + connection.peer() + "]";
    }
}
