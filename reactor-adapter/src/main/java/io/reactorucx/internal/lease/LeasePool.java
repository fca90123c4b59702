package io.reactorucx.internal.lease;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.LeakRecord;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** The implementation of {@link UcxBufferPool}, on a pool whose leases are {@link LeasedBuffer}s. */
public final class LeasePool extends UcxBufferPool {

    private final BufferPool buffers;
    private final AtomicLong copiedBytes = new AtomicLong();

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

    /**
     * Takes a share of the pool for the copy of a message that waits until the peer fetches it. Copies have half of the
     * pool together, and one may always be made: where both peers send large messages, each needs the other half to
     * fetch what the other one offers. Thread: any.
     *
     * @return whether there is a share for it; {@link #endCopy} gives it back
     */
    public boolean beginCopy(long bytes) {
        long block = blockBytes(bytes);
        long before = copiedBytes.getAndAdd(block);
        if (before > 0 && before + block > maxBytes() / 2) {
            copiedBytes.addAndGet(-block);
            return false;
        }
        return true;
    }

    /** Returns whether there is a share for the copy of a message. Thread: any. */
    public boolean hasRoomForCopy(long bytes) {
        long others = copiedBytes.get();
        return others == 0 || others + blockBytes(bytes) <= maxBytes() / 2;
    }

    /** The peer has fetched a copy, or it was not sent. Thread: any. */
    public void endCopy(long bytes) {
        copiedBytes.addAndGet(-blockBytes(bytes));
    }

    private static long blockBytes(long bytes) {
        return Math.max(MIN_BLOCK_BYTES, Long.highestOneBit(Math.max(1, bytes - 1)) << 1);
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
