package io.reactorucx;

import io.reactorucx.core.AtomicWidth;
import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpRemoteKey;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A peer's memory ({@code ucp_put_nbx}, {@code ucp_get_nbx}). Offsets are checked against the descriptor before anything is posted; what
 * the peer did with the memory in the meantime is not known here.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> ends with {@link #close()} or with the connection; memory
 * of an operation has to stay alive until its Mono completes, after an error or a cancel until {@link UcxConnection#onDispose()}.
 * <b>Errors:</b>
 * {@link IndexOutOfBoundsException} for a range outside, {@link io.reactorucx.core.UcxException} else.
 */
public final class RemoteMemory {

    private final ConnectionCore connection;
    private final MemoryDescriptor descriptor;
    private final UcxBufferPool pool;
    /** Made by the first operation; on the engine's thread. */
    private @Nullable UcpRemoteKey key;
    private volatile boolean closed;

    RemoteMemory(ConnectionCore connection, MemoryDescriptor descriptor, UcxBufferPool pool) {
        this.connection = connection;
        this.descriptor = descriptor;
        this.pool = pool;
    }

    /** {@return size in bytes} */
    public long length() {
        return descriptor.length();
    }

    /**
     * Reads.
     *
     * @param offset first byte
     * @param destination native memory, its size says how much
     * @return the destination, when the bytes have arrived
     */
    public Mono<MemorySegment> get(long offset, MemorySegment destination) {
        Objects.requireNonNull(destination, "destination");
        checkRange(offset, destination.byteSize());
        return ConnectionOperation.mono(connection, OperationKind.GET, destination.byteSize(),
                (worker, endpoint, whenDone) -> endpoint.get(destination, null, key(endpoint), offset, whenDone), destination);
    }

    /**
     * Writes.
     *
     * @param offset first byte
     * @param source native memory
     * @return completes when the source is free again; the peer is sure to see the bytes after a {@link #flush()}
     */
    public Mono<Void> put(long offset, MemorySegment source) {
        Objects.requireNonNull(source, "source");
        checkRange(offset, source.byteSize());
        return ConnectionOperation.mono(connection, OperationKind.PUT, source.byteSize(),
                (worker, endpoint, whenDone) -> endpoint.put(source, null, key(endpoint), offset, whenDone));
    }

    void checkRange(long offset, long length) {
        if (offset < 0 || length < 0 || offset > descriptor.length() - length) {
            throw new IndexOutOfBoundsException("offset " + offset + ", length " + length + ": must lie within the "
                    + descriptor.length() + " bytes of the remote memory");
        }
    }

    /** {@return atomic operations on its words of 8 bytes} */
    public RemoteAtomics atomics() {
        return new RemoteAtomics(connection, this, AtomicWidth.LONG, pool);
    }

    /** {@return atomic operations on its words of 4 bytes} */
    public RemoteAtomics intAtomics() {
        return new RemoteAtomics(connection, this, AtomicWidth.INT, pool);
    }

    /** {@return completes when the peer sees all that was put over this connection before} */
    public Mono<Void> flush() {
        return flush(connection);
    }

    static Mono<Void> flush(ConnectionCore connection) {
        return ConnectionOperation.mono(connection, OperationKind.FLUSH, 0, (worker, endpoint, whenDone) -> endpoint.flush(whenDone));
    }

    /**
     * Reads all of it in order, in chunks.
     *
     * @param chunkBytes size of a chunk, the last one may be shorter
     * @param prefetch chunks that may be under way or waiting at once
     * @return leases of the pool, each the subscriber's to release
     */
    public Flux<UcxBuffer> getFlux(int chunkBytes, int prefetch) {
        return getFlux(0, descriptor.length(), chunkBytes, prefetch);
    }

    /**
     * Reads a part of it in order, in chunks.
     *
     * @param offset first byte
     * @param length how much, may be 0
     * @param chunkBytes size of a chunk, the last one may be shorter
     * @param prefetch chunks that may be under way or waiting at once
     * @return leases of the pool, each the subscriber's to release
     */
    public Flux<UcxBuffer> getFlux(long offset, long length, int chunkBytes, int prefetch) {
        checkRange(offset, length);
        if (chunkBytes < 1 || prefetch < 1) {
            throw new IllegalArgumentException("chunkBytes " + chunkBytes + ", prefetch " + prefetch + ": at least 1 each");
        }
        long end = offset + length;
        Flux<Long> offsets = Flux.generate(() -> offset, (next, sink) -> {
            if (next < end) {
                sink.next(next);
            } else {
                sink.complete();
            }
            return next + chunkBytes;
        });
        return Flux.defer(() -> {
            PrefetchedLeases leases = new PrefetchedLeases();
            return offsets.flatMapSequential(next -> lease(next, (int) Math.min(chunkBytes, end - next)).doOnNext(leases::arrived), prefetch, 1)
                    .doOnNext(leases::handedOn).doFinally(signal -> leases.close());
        });
    }

    private Mono<UcxBuffer> lease(long offset, int bytes) {
        return new LeasedGet(connection, this, offset, bytes, pool);
    }

    /** The key, unpacked by the first operation that needs it. */
    UcpRemoteKey key(UcpEndpoint endpoint) {
        if (closed) {
            throw new IllegalStateException("remote memory of " + descriptor.length() + " bytes: it is closed");
        }
        UcpRemoteKey unpacked = key;
        if (unpacked == null) {
            unpacked = endpoint.unpack(descriptor);
            key = unpacked;
        }
        return unpacked;
    }

    /** Gives the key up; operations under way end as they would. */
    public void close() {
        closed = true;
        connection.execute(this::closeKey);
    }

    private void closeKey(UcpWorker worker) {
        UcpRemoteKey unpacked = key;
        if (unpacked != null) {
            key = null;
            unpacked.close();
        }
    }
}
