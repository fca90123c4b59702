package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.memory.MemoryPath;
import java.lang.foreign.MemorySegment;
import java.util.function.ToLongFunction;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An access to a peer's memory. The caller has checked ranges against the descriptor. */
public interface MemoryAccess {

    /** Returns the path that operations take, after the choice is made. */
    Mono<MemoryPath> path();

    Mono<MemorySegment> get(long offset, MemorySegment destination);

    /** Reads in order into leases, which the operations take and the subscriber gets. */
    Flux<UcxBuffer> getChunks(long offset, long bytes, int chunkBytes, int prefetch);

    Mono<Void> put(long offset, MemorySegment source);

    /** Writes from a lease, which is retained until the operation has completed. */
    Mono<Void> put(long offset, UcxBuffer source);

    /**
     * Writes leases of a source, and releases them.
     *
     * @param place returns where a lease goes; it throws when the lease does not fit there
     */
    Mono<Void> putChunks(Publisher<? extends UcxBuffer> source, int prefetch, ToLongFunction<UcxBuffer> place);

    Mono<Void> post(long offset, AtomicRequest call);

    /** Returns the old value. */
    Mono<Long> fetch(long offset, AtomicRequest call);

    void close();
}
