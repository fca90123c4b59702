package io.reactorucx.rsocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactorucx.codec.EncodedMessage;

/**
 * Makes frames of messages: small ones are copied to the Java heap, from the batch in which they came, and large ones
 * stay in the lease into which they were fetched.
 */
final class FrameDecoder {

    private FrameDecoder() {
    }

    static ByteBuf decode(EncodedMessage message) {
        return message.isLeased() ? LeasedFrame.of(message.lease()) : Unpooled.wrappedBuffer(message.toByteArray());
    }
}
