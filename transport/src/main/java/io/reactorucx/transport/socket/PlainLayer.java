package io.reactorucx.transport.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** The bytes of a socket as they are. */
final class PlainLayer implements SocketLayer {

    private final SocketChannel channel;
    private boolean blocked;

    PlainLayer(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    public void write(ByteBuffer from) throws IOException {
        channel.write(from);
        blocked = from.hasRemaining();
    }

    @Override
    public boolean flush() {
        return true;
    }

    @Override
    public int interest() {
        return blocked ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void close() {
        // It does nothing elsewhere.
    }
}
