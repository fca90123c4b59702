package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.transport.connection.ConnectionCore;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The access of {@link MemoryPath#AUTO} where both paths exist. The first operation chooses the path for all. */
final class AutoAccess implements MemoryAccess {

    private final ConnectionCore connection;
    private final OneSidedAccess oneSided;
    private final ServedAccess served;
    private volatile @Nullable MemoryAccess chosen;

    AutoAccess(ConnectionCore connection, OneSidedAccess oneSided, ServedAccess served) {
        this.connection = connection;
        this.oneSided = oneSided;
        this.served = served;
    }

    private <T> Mono<T> by(Function<MemoryAccess, Mono<T>> use) {
        return Mono.defer(() -> {
            MemoryAccess known = chosen;
            return known != null ? use.apply(known) : EngineCall.mono(connection.engine(), worker -> choose())
                    .flatMap(use);
        });
    }

    private MemoryAccess choose() {
        served.checkOpen();
        MemoryAccess known = chosen;
        if (known == null) {
            boolean direct = oneSided.isDirect();
            known = direct ? oneSided : served;
            chosen = known;
            if (!direct) {
                oneSided.close();
            }
        }
        return known;
    }

    @Override
    public Mono<MemoryPath> path() {
        return by(MemoryAccess::path);
    }

    @Override
    public Mono<MemorySegment> get(long offset, MemorySegment destination) {
        return by(access -> access.get(offset, destination));
    }

    @Override
    public Flux<UcxBuffer> getChunks(long offset, long bytes, int chunkBytes, int prefetch) {
        return Flux.defer(() -> {
            MemoryAccess known = chosen;
            return known != null ? known.getChunks(offset, bytes, chunkBytes, prefetch)
                    : EngineCall.mono(connection.engine(), worker -> choose())
                    .flatMapMany(access -> access.getChunks(offset, bytes, chunkBytes, prefetch));
        });
    }

    @Override
    public Mono<Void> putChunks(Publisher<? extends UcxBuffer> source, int prefetch, ToLongFunction<UcxBuffer> place) {
        return by(access -> access.putChunks(source, prefetch, place));
    }

    @Override
    public Mono<Void> put(long offset, MemorySegment source) {
        return by(access -> access.put(offset, source));
    }

    @Override
    public Mono<Void> put(long offset, UcxBuffer source) {
        return by(access -> access.put(offset, source));
    }

    @Override
    public Mono<Void> post(long offset, AtomicRequest call) {
        return served.post(offset, call);
    }

    @Override
    public Mono<Long> fetch(long offset, AtomicRequest call) {
        return served.fetch(offset, call);
    }

    @Override
    public void close() {
        served.close();
        oneSided.close();
    }
}
