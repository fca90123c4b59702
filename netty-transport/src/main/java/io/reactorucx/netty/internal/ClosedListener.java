package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;

/** The listener of a stream whose channel has closed. */
final class ClosedListener implements StreamListener {

    @Override
    public ByteBufAllocator allocator() {
        return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void readable() {
    }

    @Override
    public void writable() {
    }

    @Override
    public void broken(IOException cause) {
    }
}
