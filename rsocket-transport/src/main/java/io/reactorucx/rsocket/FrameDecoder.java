package io.reactorucx.rsocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.message.batch.InboundBatch;
import io.reactorucx.internal.message.context.StreamBuffers;
import io.reactorucx.internal.message.receive.MessageDecoder;

/**
 * Makes frames of messages: small ones are copied to the Java heap, from the batch in which they came, and large ones
 * stay in the lease into which they were fetched.
 */
final class FrameDecoder implements MessageDecoder<ByteBuf> {

    static final FrameDecoder INSTANCE = new FrameDecoder();

    private FrameDecoder() {
    }

    @Override
    public ByteBuf decode(InboundBatch batch, int offset, int length) {
        return Unpooled.wrappedBuffer(batch.copy(offset, length));
    }

    @Override
    public ByteBuf decode(byte[] message, StreamBuffers buffers) {
        return Unpooled.wrappedBuffer(message);
    }

    @Override
    public ByteBuf decode(UcxBuffer message) {
        return LeasedFrame.of(message);
    }
}
