package io.reactorucx;

import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** {@link MemoryPath#AUTO} where both paths exist: the first operation finds out whether the one-sided one is worth it. */
final class ChosenMemory implements MemoryAccess {

    private final ConnectionCore connection;
    private final OneSidedMemory oneSided;
    private final ServedMemory served;
    private volatile @Nullable MemoryAccess chosen;

    ChosenMemory(ConnectionCore connection, OneSidedMemory oneSided, ServedMemory served) {
        this.connection = connection;
        this.oneSided = oneSided;
        this.served = served;
    }

    private <T> Mono<T> by(Function<MemoryAccess, Mono<T>> use) {
        return Mono.defer(() -> {
            MemoryAccess known = chosen;
            return known != null ? use.apply(known) : UcxResources.onEngine(connection.engine(), worker -> choose()).flatMap(use);
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
    public Mono<UcxBuffer> get(long offset, int length) {
        return by(access -> access.get(offset, length));
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
    public Mono<Void> post(long offset, AtomicCall call) {
        return served.post(offset, call);
    }

    @Override
    public Mono<Long> fetch(long offset, AtomicCall call) {
        return served.fetch(offset, call);
    }

    @Override
    public void close() {
        served.close();
        oneSided.close();
    }
}
