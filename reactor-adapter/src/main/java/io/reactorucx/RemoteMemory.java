package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AtomicWidth;
import io.reactorucx.internal.memory.FlushOperation;
import io.reactorucx.internal.memory.MemoryAccess;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.transport.connection.ConnectionCore;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A peer's memory: served by the peer's engine, or reached by UCX's own operations ({@link MemoryPath}). Offsets are
 * checked against the descriptor before anything is posted; what the peer did with the memory in the meantime is not
 * known here. Operations have no order among themselves but what {@link #flush()}, {@link UcxConnection#fence()} and
 * waiting for their Monos give them.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> ends with {@link #close()} or with
 * the connection; memory of an operation has to stay alive until its Mono completes, after an error or a cancel until
 * {@link UcxConnection#onDispose()}. <b>Errors:</b> {@link IndexOutOfBoundsException} for a range outside,
 * {@link io.reactorucx.core.error.UcxException} else: of a served window INVALID_ADDR when it is revoked or was never
 * exported to this side, REJECTED when it does not give the right, EXCEEDS_LIMIT when too many requests wait already.
 */
public final class RemoteMemory {

    private final ConnectionCore connection;
    private final MemoryAccess access;
    private final long length;

    RemoteMemory(ConnectionCore connection, MemoryAccess access, long length) {
        this.connection = connection;
        this.access = access;
        this.length = length;
    }

    /** {@return size in bytes} */
    public long length() {
        return length;
    }

    /**
     * {@return how puts and gets reach it, {@link MemoryPath#SERVED} or {@link MemoryPath#ONE_SIDED}; known when
     * something was tried}
     */
    public Mono<MemoryPath> path() {
        return access.path();
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
        return access.get(offset, destination);
    }

    /**
     * Writes.
     *
     * @param offset first byte
     * @param source native memory
     * @return completes when the source is free again; the peer is sure to see the bytes after a {@link #flush()}, and
     *     at once where the path is {@link MemoryPath#SERVED}
     */
    public Mono<Void> put(long offset, MemorySegment source) {
        Objects.requireNonNull(source, "source");
        checkRange(offset, source.byteSize());
        return access.put(offset, source);
    }

    /**
     * Writes leased memory; the lease is kept while it is used, and stays the caller's to release.
     *
     * @param offset first byte
     * @param source a lease of the pool of the connection's resources
     * @return as {@link #put(long, MemorySegment)} has it
     */
    public Mono<Void> put(long offset, UcxBuffer source) {
        Objects.requireNonNull(source, "source");
        checkRange(offset, source.length());
        return access.put(offset, source);
    }

    /**
     * Writes leases one behind the other. Each is taken over: it is released when it has been written, and when that
     * fails or is given up.
     *
     * @param offset where the first one goes
     * @param source leases of the pool of the connection's resources, asked for as they can be written; one that does
     *     not fit ends it with {@link IndexOutOfBoundsException}
     * @param prefetch the maximum number of leases in flight
     * @return how many bytes were written, when the peer sees them
     */
    public Mono<Long> putFlux(long offset, Publisher<UcxBuffer> source, int prefetch) {
        Objects.requireNonNull(source, "source");
        checkRange(offset, 0);
        if (prefetch < 1) {
            throw new IllegalArgumentException("prefetch " + prefetch + ": must be at least 1");
        }
        return Mono.defer(() -> {
            long[] next = {offset};
            return access.putChunks(source, prefetch, lease -> {
                long at = next[0];
                checkRange(at, lease.length());
                next[0] = at + lease.length();
                return at;
            }).then(flush()).then(Mono.fromSupplier(() -> next[0] - offset));
        });
    }

    void checkRange(long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > length - bytes) {
            throw new IndexOutOfBoundsException("offset " + offset + ", length " + bytes + ": must lie within the "
                    + length + " bytes of the remote memory");
        }
    }

    /** {@return atomic operations on its words of 8 bytes} */
    public RemoteAtomics atomics() {
        return new RemoteAtomics(this, access, AtomicWidth.LONG);
    }

    /** {@return atomic operations on its words of 4 bytes} */
    public RemoteAtomics intAtomics() {
        return new RemoteAtomics(this, access, AtomicWidth.INT);
    }

    /** {@return completes when the peer sees all that was put over this connection before} */
    public Mono<Void> flush() {
        return FlushOperation.mono(connection);
    }

    /**
     * Reads all of it in order, in chunks.
     *
     * @param chunkBytes size of a chunk, the last one may be shorter
     * @param prefetch the maximum number of chunks in flight or waiting for demand
     * @return leases of the pool, each the subscriber's to release
     */
    public Flux<UcxBuffer> getFlux(int chunkBytes, int prefetch) {
        return getFlux(0, length, chunkBytes, prefetch);
    }

    /**
     * Reads a part of it in order, in chunks.
     *
     * @param offset first byte
     * @param bytes how much, may be 0
     * @param chunkBytes size of a chunk, the last one may be shorter
     * @param prefetch the maximum number of chunks in flight or waiting for demand
     * @return leases of the pool, each the subscriber's to release
     */
    public Flux<UcxBuffer> getFlux(long offset, long bytes, int chunkBytes, int prefetch) {
        checkRange(offset, bytes);
        if (chunkBytes < 1 || prefetch < 1) {
            throw new IllegalArgumentException("chunkBytes " + chunkBytes + ", prefetch " + prefetch
                    + ": must be at least 1 each");
        }
        return access.getChunks(offset, bytes, chunkBytes, prefetch);
    }

    /** Releases this access to the memory; operations in flight complete. */
    public void close() {
        access.close();
    }

    @Override
    public String toString() {
        return "RemoteMemory[" + connection.peer() + ", " + length + " bytes]";
    }
}
