package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.connection.ConnectionCore;
import java.lang.foreign.MemorySegment;
import java.util.function.ToLongFunction;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The access to a window of a framework peer by requests, which the peer's engine checks and serves. */
final class ServedAccess implements MemoryAccess {

    private final ConnectionCore connection;
    private final MemoryClient client;
    private final WindowDescriptor descriptor;
    private final WindowKey key;
    private final LeasePool pool;
    private volatile boolean closed;

    ServedAccess(ConnectionCore connection, MemoryClient client, WindowDescriptor descriptor, LeasePool pool) {
        this.connection = connection;
        this.client = client;
        this.descriptor = descriptor;
        this.key = WindowKey.of(descriptor);
        this.pool = pool;
    }

    ConnectionCore connection() {
        return connection;
    }

    MemoryClient client() {
        return client;
    }

    WindowKey key() {
        return key;
    }

    LeasePool pool() {
        return pool;
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("remote memory of " + descriptor.length() + " bytes: it is closed");
        }
    }

    @Override
    public Mono<MemoryPath> path() {
        return Mono.just(MemoryPath.SERVED);
    }

    @Override
    public Mono<MemorySegment> get(long offset, MemorySegment destination) {
        return OperationMono.of(connection, OperationKind.GET,
                (mono, actual) -> new ServedGet.IntoSegment(mono, this, offset, destination, actual));
    }

    @Override
    public Flux<UcxBuffer> getChunks(long offset, long bytes, int chunkBytes, int prefetch) {
        OperationMono<UcxBuffer> shared = OperationMono.shared(connection, OperationKind.GET);
        LeakRecord place = pool.place();
        return new ChunkedGet(
                (at, length, subscriber) -> new ServedGet.IntoPool(shared, this, at, length, subscriber, place),
                offset, bytes, chunkBytes, prefetch);
    }

    @Override
    public Mono<Void> put(long offset, MemorySegment source) {
        return ServedPut.mono(this, offset, source);
    }

    @Override
    public Mono<Void> put(long offset, UcxBuffer source) {
        return ServedPut.mono(this, offset, source);
    }

    @Override
    public Mono<Void> putChunks(Publisher<? extends UcxBuffer> source, int prefetch, ToLongFunction<UcxBuffer> place) {
        OperationMono<Void> shared = OperationMono.shared(connection, OperationKind.PUT);
        return new ChunkedPut(source, prefetch, (lease, subscriber) -> ServedPut.of(shared, this,
                place.applyAsLong(lease), lease, subscriber));
    }

    @Override
    public Mono<Void> post(long offset, AtomicRequest call) {
        return fetch(offset, call).then();
    }

    @Override
    public Mono<Long> fetch(long offset, AtomicRequest call) {
        return OperationMono.of(connection, OperationKind.ATOMIC, (mono, actual) ->
                new ServedAtomic(mono, this, offset, call, actual));
    }

    @Override
    public void close() {
        closed = true;
    }
}
