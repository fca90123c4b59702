package io.reactorucx.rsocket;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.reactorucx.buffer.UcxBuffer;

/**
 * A received frame in leased memory, which goes back to its pool with the last reference to the frame.
 *
 * <p>Thread: any.
 */
final class LeasedFrame extends UnpooledDirectByteBuf {

    private final UcxBuffer lease;

    private LeasedFrame(UcxBuffer lease, int length) {
        super(UnpooledByteBufAllocator.DEFAULT, lease.byteBuffer(), length);
        this.lease = lease;
    }

    /** Returns a frame that owns the lease. */
    static LeasedFrame of(UcxBuffer lease) {
        try {
            return new LeasedFrame(lease, (int) lease.length());
        } catch (RuntimeException | OutOfMemoryError e) {
            lease.release();
            throw e;
        }
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        lease.release();
    }
}
