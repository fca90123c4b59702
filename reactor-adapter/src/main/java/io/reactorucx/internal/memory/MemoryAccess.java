package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.memory.MemoryPath;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/** An access to a peer's memory. The caller has checked ranges against the descriptor. */
public interface MemoryAccess {

    /** Returns the path that operations take, after the choice is made. */
    Mono<MemoryPath> path();

    Mono<MemorySegment> get(long offset, MemorySegment destination);

    /** Reads into a lease, which the operation takes and the subscriber gets. */
    Mono<UcxBuffer> get(long offset, int length);

    Mono<Void> put(long offset, MemorySegment source);

    /** Writes from a lease, which is retained until the operation has completed. */
    Mono<Void> put(long offset, UcxBuffer source);

    Mono<Void> post(long offset, AtomicRequest call);

    /** Returns the old value. */
    Mono<Long> fetch(long offset, AtomicRequest call);

    void close();
}
