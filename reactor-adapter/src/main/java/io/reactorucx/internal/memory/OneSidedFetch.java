package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AtomicOperation;
import io.reactorucx.core.AtomicWidth;
import io.reactorucx.core.UcpAtomics;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpRemoteKey;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.internal.buffer.BufferPool;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.internal.operation.OperationMono;
import io.reactorucx.internal.operation.OperationSubscription;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** UCX's atomic operation with the old value as its answer, which UCX writes into a lease. */
final class OneSidedFetch extends OperationSubscription<Long> {

    private final OneSidedAccess memory;
    private final BufferPool pool;
    private final long offset;
    private final AtomicRequest call;
    private @Nullable UcxBuffer reply;

    OneSidedFetch(OperationMono<Long> mono, OneSidedAccess memory, BufferPool pool, long offset, AtomicRequest call,
            CoreSubscriber<? super Long> actual) {
        super(mono, actual);
        this.memory = memory;
        this.pool = pool;
        this.offset = offset;
        this.call = call;
    }

    @Override
    public boolean post(UcpWorker worker, UcpEndpoint endpoint) {
        UcxBuffer leased = pool.acquire(call.width().bytes());
        reply = leased;
        UcpAtomics atomics = endpoint.atomics();
        UcpRemoteKey key = memory.key(endpoint);
        MemorySegment old = leased.segment();
        return call.operation() == AtomicOperation.COMPARE_AND_SWAP
                ? atomics.compareAndSwap(call.width(), call.expected(), call.operand(), old, key, offset, this)
                : atomics.fetch(call.operation(), call.width(), call.operand(), old, key, offset, this);
    }

    @Override
    public @Nullable Long result(long receivedLength, long tag) {
        UcxBuffer filled = reply;
        if (filled == null) {
            return null;
        }
        return call.width() == AtomicWidth.INT ? (long) filled.segment().get(ValueLayout.JAVA_INT, 0)
                : filled.segment().get(ValueLayout.JAVA_LONG, 0);
    }

    @Override
    public void released() {
        UcxBuffer unused = reply;
        if (unused != null) {
            reply = null;
            unused.release();
        }
    }

    @Override
    protected long bytes(long receivedLength) {
        return call.width().bytes();
    }
}
