package io.reactorucx;

import io.reactorucx.engine.OperationKind;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/** A window of a framework peer, by requests that the peer's engine checks and answers. */
final class ServedMemory implements MemoryAccess {

    private final ConnectionCore connection;
    private final MemoryCaller caller;
    private final WindowDescriptor descriptor;
    private final UcxBufferPool pool;
    private volatile boolean closed;

    ServedMemory(ConnectionCore connection, MemoryCaller caller, WindowDescriptor descriptor, UcxBufferPool pool) {
        this.connection = connection;
        this.caller = caller;
        this.descriptor = descriptor;
        this.pool = pool;
    }

    ConnectionCore connection() {
        return connection;
    }

    MemoryCaller caller() {
        return caller;
    }

    WindowKey key() {
        return descriptor.key();
    }

    UcxBufferPool pool() {
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
    public Mono<UcxBuffer> get(long offset, int length) {
        return OperationMono.of(connection, OperationKind.GET,
                (mono, actual) -> new ServedGet.IntoPool(mono, this, offset, length, actual));
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
    public Mono<Void> post(long offset, AtomicCall call) {
        return fetch(offset, call).then();
    }

    @Override
    public Mono<Long> fetch(long offset, AtomicCall call) {
        return OperationMono.of(connection, OperationKind.ATOMIC, (mono, actual) -> new ServedAtomic(mono, this, offset, call, actual));
    }

    @Override
    public void close() {
        closed = true;
    }
}
