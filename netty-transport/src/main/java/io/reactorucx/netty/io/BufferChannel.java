package io.reactorucx.netty.io;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Fills a buffer, as far as it has room. */
public record BufferChannel(ByteBuf target) implements WritableByteChannel {

    @Override
    public int write(ByteBuffer source) {
        int length = Math.min(source.remaining(), target.writableBytes());
        ByteBuffer part = source.slice(source.position(), length);
        target.writeBytes(part);
        source.position(source.position() + length);
        return length;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {
    }
}
