package io.reactorucx.netty.io;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.netty.internal.ChannelStream;
import io.reactorucx.netty.internal.LoopLinks;
import io.reactorucx.netty.internal.StreamLifecycle;
import io.reactorucx.netty.internal.StreamSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a channel: over it the two sides learn each other's stream, and that the other is gone.
 *
 * <p>Thread: loop.
 */
public final class ChannelSocket extends ChannelInboundHandlerAdapter implements StreamSocket {

    private final DuplexChannel socket;
    /** Where the loop listens for links; null for a client. */
    private final @Nullable InetAddress linkAddress;
    /** Where the peer's loop listens for links, once the socket is connected. */
    private final Supplier<InetAddress> peerAddress;
    private final LoopLinks links;
    private final LoopCounters counters;
    private @Nullable ChannelStream stream;
    private @Nullable ByteBuf received;
    private boolean greeted;
    private boolean inOrder;

    /** The socket of a channel, of a client if there is no address for links. */
    public ChannelSocket(DuplexChannel socket, @Nullable InetAddress linkAddress, Supplier<InetAddress> peerAddress,
            LoopLinks links, LoopCounters counters) {
        this.socket = socket;
        this.linkAddress = linkAddress;
        this.peerAddress = peerAddress;
        this.links = links;
        this.counters = counters;
    }

    /** Sets the stream of the channel. */
    public void stream(ChannelStream made) {
        stream = made;
    }

    /** The client begins. */
    public void greet() {
        ChannelStream ours = stream;
        if (ours != null) {
            send(new SocketFrame.Hello(ours.lifecycle().id(), ours.lifecycle().token()));
        }
    }

    private void send(SocketFrame frame) {
        socket.writeAndFlush(frame.encode(socket.alloc()));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf all = received;
        if (all == null) {
            all = bytes;
        } else {
            all.writeBytes(bytes);
            bytes.release();
        }
        received = null;
        try {
            for (SocketFrame frame = SocketFrame.decode(all); frame != null; frame = SocketFrame.decode(all)) {
                received(frame);
            }
            if (all.isReadable()) {
                received = context.alloc().buffer(all.readableBytes() + SocketFrame.MAX_BYTES).writeBytes(all);
            }
        } finally {
            all.release();
        }
    }

    private void received(SocketFrame frame) {
        ChannelStream ours = stream;
        if (ours == null) {
            return;
        }
        switch (frame) {
            case SocketFrame.Hello hello when linkAddress != null && !greeted -> {
                greeted = true;
                ours.lifecycle().peerKnown(hello.channel(), hello.token());
                links.listen(linkAddress, port -> welcome(ours.lifecycle(), port));
            }
            case SocketFrame.Welcome welcome when linkAddress == null && !greeted && welcome.port() > 0
                    && welcome.port() < 1 << 16 -> {
                greeted = true;
                ours.lifecycle().peerKnown(welcome.channel(), welcome.token());
                links.open(ours, new InetSocketAddress(peerAddress.get(), welcome.port()),
                        welcome.name());
            }
            case SocketFrame.Reject reject when linkAddress == null && !greeted -> failed(ours.lifecycle(),
                    "the server has rejected the channel: " + reject.reason());
            // A server may close before it has welcomed the client, which has greeted first.
            case SocketFrame.Closed closed when !inOrder && (greeted || linkAddress == null) -> inOrder = true;
            default -> stranger(ours.lifecycle(), "the peer is no loop of UCX for Netty, or has another version of its"
                    + " protocol: " + frame);
        }
    }

    private void stranger(StreamLifecycle ours, String why) {
        if (linkAddress != null) {
            counters.strangerRejected(socket.remoteAddress(), why
                    + "; UcxPlainTcpConfig.withAccepted(true) lets a server take plain TCP");
            ours.fail(new IOException(why));
        } else {
            failed(ours, why);
        }
    }

    private void welcome(StreamLifecycle ours, int port) {
        if (port < 0) {
            send(new SocketFrame.Reject("the server's loop has no port for links"));
            failed(ours, "this loop has no port for links");
        } else {
            send(new SocketFrame.Welcome(ours.id(), ours.token(), port, links.name()));
        }
    }

    private void failed(StreamLifecycle ours, String why) {
        counters.count(LoopCount.FAILED_HANDSHAKES);
        ours.fail(new IOException(why));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ByteBuf rest = received;
        if (rest != null) {
            received = null;
            rest.release();
        }
        ChannelStream ours = stream;
        if (ours != null) {
            ours.lifecycle().socketEnded(inOrder);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        socket.close();
    }

    /** A peer that has sent nothing may be one of plain TCP that waits for the first word. */
    @Override
    public String timeoutHint() {
        if (greeted || received != null) {
            return "";
        }
        return linkAddress == null
                ? ", and has sent nothing: it is slow, or a server of plain TCP, which"
                        + " UcxPlainTcpConfig.withRemotes(..) has to name"
                : ", and has sent nothing: it is slow, or a client of plain TCP, which"
                        + " UcxPlainTcpConfig.withAccepted(true) lets a server take";
    }

    @Override
    public void close(boolean orderly) {
        // Data that the peer sends behind the end of the channel is not counted as another failure.
        stream = null;
        if (orderly && socket.isActive()) {
            socket.writeAndFlush(new SocketFrame.Closed().encode(socket.alloc()))
                    .addListener(ChannelFutureListener.CLOSE);
        } else {
            socket.close();
        }
    }
}
