package io.reactorucx.examples.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.Random;
import reactor.netty.resources.LoopResources;

/** Bytes that the server sends back, by bare Netty. */
final class Echo implements Protocol {

    private static final int SEED = 7;

    private final int bytes;

    Echo(int bytes) {
        this.bytes = bytes;
    }

    @ChannelHandler.Sharable
    private static final class Reflector extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    @Override
    public int bytes() {
        return bytes;
    }

    @Override
    public Service serve(LoopResources loops) {
        EventLoopGroup group = loops.onServer(true);
        Channel server = new ServerBootstrap().group(group)
                .channel(loops.onChannelClass(ServerSocketChannel.class, group)).childHandler(new Reflector())
                .bind(HOST, 0).syncUninterruptibly().channel();
        return new Service(((InetSocketAddress) server.localAddress()).getPort(),
                () -> server.close().syncUninterruptibly());
    }

    @Override
    public Caller connect(LoopResources loops, int port) {
        EventLoopGroup group = loops.onClient(true);
        EchoCaller caller = new EchoCaller(pattern(bytes));
        new Bootstrap().group(group).channel(loops.onChannelClass(SocketChannel.class, group)).handler(caller)
                .connect(HOST, port).syncUninterruptibly();
        return caller;
    }

    private static ByteBuf pattern(int bytes) {
        byte[] content = new byte[bytes];
        new Random(SEED).nextBytes(content);
        return Unpooled.directBuffer(bytes).writeBytes(content);
    }
}
