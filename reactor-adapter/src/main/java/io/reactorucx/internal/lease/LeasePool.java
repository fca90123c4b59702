package io.reactorucx.internal.lease;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.LeakRecord;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** The implementation of {@link UcxBufferPool}, on a pool whose leases are {@link LeasedBuffer}s. */
public final class LeasePool extends UcxBufferPool {

    private final BufferPool buffers;

    public LeasePool(BufferPool buffers) {
        this.buffers = buffers;
    }

    /** The pool as this, its only implementation. */
    public static LeasePool of(UcxBufferPool pool) {
        return (LeasePool) pool;
    }

    /** Returns the pool of the transport. */
    public BufferPool buffers() {
        return buffers;
    }

    /** Records the place of this call for the report of a leak. Returns null where places are not recorded. */
    public @Nullable LeakRecord place() {
        return buffers.place();
    }

    @Override
    public LeasedBuffer acquire(long bytes) {
        return acquire(bytes, place());
    }

    /** As {@link #acquire(long)}, for a caller that recorded the place of the request before, or has none. */
    public LeasedBuffer acquire(long bytes, @Nullable LeakRecord place) {
        return (LeasedBuffer) buffers.acquire(bytes, place);
    }

    @Override
    public Mono<UcxBuffer> acquireLater(long bytes) {
        return acquireLater(bytes, place());
    }

    /** As {@link #acquireLater(long)}, for a caller that recorded the place of the request, or has none. */
    public Mono<UcxBuffer> acquireLater(long bytes, @Nullable LeakRecord place) {
        buffers.checkBytes(bytes);
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super UcxBuffer> actual) {
                actual.onSubscribe(new LeaseWait(LeasePool.this, bytes, place, actual));
            }
        };
    }

    @Override
    public long leasedBytes() {
        return buffers.leasedBytes();
    }

    @Override
    public int leases() {
        return buffers.leases();
    }

    @Override
    public int waiters() {
        return buffers.waiters();
    }

    @Override
    public int maxWaiters() {
        return buffers.maxWaiters();
    }

    @Override
    public long waits() {
        return buffers.waits();
    }

    @Override
    public long waitNanos() {
        return buffers.waitNanos();
    }

    @Override
    public long leakedLeases() {
        return buffers.leakedLeases();
    }

    @Override
    public long slabBytes() {
        return buffers.slabBytes();
    }

    @Override
    public long maxBytes() {
        return buffers.maxBytes();
    }

    @Override
    public long mappedBytes() {
        return buffers.mappedBytes();
    }

    @Override
    public long maxMappedBytes() {
        return buffers.maxMappedBytes();
    }

    @Override
    public long refusedMappings() {
        return buffers.refusedMappings();
    }

    @Override
    public long offeredMessages() {
        return buffers.offeredMessages();
    }

    @Override
    public long copiedMessages() {
        return buffers.copiedMessages();
    }
}
