package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.reactorucx.netty.io.SocketFrame;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** Sockets by which tests play peers of a server. */
final class RawSockets {

    /** The first bytes of a client of UCX. */
    static final byte[] HELLO = hello();
    /** How long a read waits for bytes. */
    private static final Duration LIMIT = TestTime.seconds(20);

    private RawSockets() {
    }

    private static byte[] hello() {
        ByteBuf frame = new SocketFrame.Hello(0, 0).encode(UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.getBytes(frame);
        } finally {
            frame.release();
        }
    }

    /** Connects to a server. Reads fail after a limit, and what is written goes at once. */
    static Socket connect(Channel server) throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) LIMIT.toMillis());
        return socket;
    }
}
