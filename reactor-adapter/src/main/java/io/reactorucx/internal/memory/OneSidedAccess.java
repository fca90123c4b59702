package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpCapability;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpRemoteKey;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.operation.SingleCallMono;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.connection.ConnectionCore;
import java.lang.foreign.MemorySegment;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The access to a peer's memory by UCX's own operations ({@code ucp_put_nbx}, {@code ucp_get_nbx},
 * {@code ucp_atomic_op_nbx}).
 */
public final class OneSidedAccess implements MemoryAccess {

    private final ConnectionCore connection;
    private final MemoryDescriptor descriptor;
    private final LeasePool pool;
    /** Unpacked by the first operation. Thread: engine. */
    private @Nullable UcpRemoteKey key;
    private volatile boolean closed;

    public OneSidedAccess(ConnectionCore connection, MemoryDescriptor descriptor, LeasePool pool) {
        this.connection = connection;
        this.descriptor = descriptor;
        this.pool = pool;
    }

    @Override
    public Mono<MemoryPath> path() {
        return Mono.just(MemoryPath.ONE_SIDED);
    }

    @Override
    public Mono<MemorySegment> get(long offset, MemorySegment destination) {
        return SingleCallMono.of(connection, OperationKind.GET, destination.byteSize(),
                (worker, endpoint, whenDone) -> endpoint.get(destination, null, key(endpoint), offset, whenDone),
                destination);
    }

    @Override
    public Flux<UcxBuffer> getChunks(long offset, long bytes, int chunkBytes, int prefetch) {
        OperationMono<UcxBuffer> shared = OperationMono.shared(connection, OperationKind.GET);
        LeakRecord place = pool.place();
        return new ChunkedGet(
                (at, length, subscriber) -> new OneSidedGet(shared, this, pool, at, length, subscriber, place),
                offset, bytes, chunkBytes, prefetch);
    }

    @Override
    public Mono<Void> put(long offset, MemorySegment source) {
        return SingleCallMono.of(connection, OperationKind.PUT, source.byteSize(),
                (worker, endpoint, whenDone) -> endpoint.put(source, null, key(endpoint), offset, whenDone));
    }

    @Override
    public Mono<Void> put(long offset, UcxBuffer source) {
        return SingleCallMono.retaining(source, connection, OperationKind.PUT,
                (worker, endpoint, whenDone) -> endpoint.put(source.segment(), LeasedBuffer.of(source).registration(),
                        key(endpoint), offset, whenDone));
    }

    @Override
    public Mono<Void> putChunks(Publisher<? extends UcxBuffer> source, int prefetch, ToLongFunction<UcxBuffer> place) {
        OperationMono<Void> shared = OperationMono.shared(connection, OperationKind.PUT);
        return new ChunkedPut(source, prefetch, (lease, subscriber) -> {
            long offset = place.applyAsLong(lease);
            return new OneSidedPut(shared, this, offset, LeasedBuffer.of(lease.retain()), subscriber);
        });
    }

    @Override
    public Mono<Void> post(long offset, AtomicRequest call) {
        return SingleCallMono.of(connection, OperationKind.ATOMIC,
                call.width().bytes(), (worker, endpoint, whenDone) -> endpoint
                .atomics().post(call.operation(), call.width(), call.operand(), key(endpoint), offset, whenDone));
    }

    @Override
    public Mono<Long> fetch(long offset, AtomicRequest call) {
        return OperationMono.of(connection, OperationKind.ATOMIC,
                (mono, actual) -> new OneSidedFetch(mono, this, pool, offset, call, actual));
    }

    /** Returns whether puts and gets need no help of the peer's processor. Thread: engine. */
    boolean isDirect() {
        UcpEndpoint endpoint = connection.endpointFor(OperationKind.GET);
        if (endpoint.transports().stream().anyMatch(name -> name.startsWith("rc_") || name.startsWith("dc_"))
                && endpoint.worker().context().support(UcpCapability.DEVICE_GETS, endpoint.errorMode()).isSupported()) {
            return true;
        }
        try {
            key(endpoint).pointer();
            return true;
        } catch (UcxException e) {
            return false;
        }
    }

    /** Returns the remote key, which the first call unpacks. Thread: engine. */
    UcpRemoteKey key(UcpEndpoint endpoint) {
        if (closed) {
            throw new IllegalStateException("remote memory of " + descriptor.length() + " bytes: it is closed");
        }
        connection.carrier().requireRaw(OperationKind.GET);
        UcpRemoteKey unpacked = key;
        if (unpacked == null) {
            unpacked = endpoint.unpack(descriptor);
            key = unpacked;
        }
        return unpacked;
    }

    @Override
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
