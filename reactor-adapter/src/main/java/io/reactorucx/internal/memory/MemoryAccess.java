package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.memory.MemoryPath;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/** A way to a peer's memory; ranges have been checked against the descriptor. */
public interface MemoryAccess {

    Mono<MemoryPath> path();

    Mono<MemorySegment> get(long offset, MemorySegment destination);

    /** Into a lease, which is taken when the read is posted and is the subscriber's once it has it. */
    Mono<UcxBuffer> get(long offset, int length);

    Mono<Void> put(long offset, MemorySegment source);

    /** From a lease, which is kept while it is used. */
    Mono<Void> put(long offset, UcxBuffer source);

    Mono<Void> post(long offset, AtomicRequest call);

    /** The old value. */
    Mono<Long> fetch(long offset, AtomicRequest call);

    void close();
}
