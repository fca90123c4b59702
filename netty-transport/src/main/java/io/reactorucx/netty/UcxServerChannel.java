package io.reactorucx.netty;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.internal.PlatformDependent;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A server whose accepted channels go over UCX. It listens on a TCP socket, at which clients of
 * {@link UcxSocketChannel} connect; no byte of a channel goes over that socket.
 *
 * <p><b>Threading:</b> as other channels of Netty; needs a loop of {@link UcxIoHandler}. <b>Ownership:</b> the caller
 * closes it. <b>Errors:</b> those of the socket.
 */
public final class UcxServerChannel extends AbstractServerChannel implements ServerSocketChannel {

    private final EpollServerSocketChannel socket = new EpollServerSocketChannel();
    private final UcxServerChannelConfig config = new UcxServerChannelConfig(this, socket.config());
    private @Nullable IoRegistration registration;
    private volatile boolean bound;
    private volatile boolean closed;

    /** A channel that is not bound. */
    public UcxServerChannel() {
        socket.pipeline().addLast(new Accepting());
    }

    /** Hands accepted sockets on as channels. */
    private final class Accepting extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            pipeline().fireChannelRead(
                    new UcxSocketChannel(UcxServerChannel.this, (EpollSocketChannel) message, config.plainTcp()));
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            pipeline().fireChannelReadComplete();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            pipeline().fireExceptionCaught(cause);
        }
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(UcxIoHandle.class);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        UcxIoHandle.register(eventLoop(), () -> unsafe().close(voidPromise()), made -> registered(made, promise),
                promise);
    }

    private void registered(IoRegistration made, ChannelPromise promise) {
        registration = made;
        try {
            made.<UcxIoHandler>attachment().config().acceptsPlain(config.plainTcp());
        } catch (IllegalArgumentException e) {
            promise.setFailure(e);
            return;
        }
        UcxIoHandle.registerSocket(eventLoop(), socket, promise);
    }

    @Override
    protected void doDeregister() {
        IoRegistration registered = registration;
        if (registered != null) {
            registered.cancel();
        }
    }

    @Override
    protected void doBind(SocketAddress address) {
        ChannelFuture done = socket.bind(address);
        if (done.cause() != null) {
            PlatformDependent.throwException(done.cause());
        }
        bound = true;
    }

    @Override
    protected void doBeginRead() {
        socket.read();
    }

    @Override
    protected void doClose() {
        closed = true;
        bound = false;
        if (socket.isRegistered()) {
            socket.close();
        } else {
            socket.unsafe().closeForcibly();
        }
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return bound;
    }

    @Override
    public ServerSocketChannelConfig config() {
        return config;
    }

    @Override
    protected SocketAddress localAddress0() {
        return socket.localAddress();
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }
}
