package io.reactorucx.netty.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.transport.buffer.Lease;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of leased memory, which peers of this host read in place. It becomes an ordinary one when it grows.
 *
 * <p>Thread: any, one at a time.
 */
public final class LeasedByteBuf extends UnpooledDirectByteBuf {

    private final Lease lease;
    private final UcpMemory registration;

    private LeasedByteBuf(ByteBufAllocator allocator, Lease lease, int maxCapacity) {
        super(allocator, lease.segment().asByteBuffer(), maxCapacity);
        this.lease = lease;
        this.registration = lease.registration();
        clear();
    }

    /** Returns an empty buffer, which takes a lease. */
    public static LeasedByteBuf take(ByteBufAllocator allocator, Lease lease, int maxCapacity) {
        try {
            return new LeasedByteBuf(allocator, lease, maxCapacity);
        } catch (RuntimeException | OutOfMemoryError e) {
            lease.release();
            throw e;
        }
    }

    /** Returns the buffer whose memory another one shows, null if that is not a leased one. */
    public static @Nullable LeasedByteBuf of(ByteBuf view) {
        ByteBuf root = view;
        for (ByteBuf next = root.unwrap(); next != null; next = root.unwrap()) {
            root = next;
        }
        return root instanceof LeasedByteBuf leased ? leased : null;
    }

    public UcpMemory registration() {
        return registration;
    }

    /** Returns whether a native address is in the leased memory. */
    public boolean covers(long address) {
        long offset = address - lease.segment().address();
        return offset >= 0 && offset < lease.length();
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        lease.release();
    }
}
