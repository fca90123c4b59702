package io.reactorucx.netty;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.ServerChannel;
import io.netty.util.internal.PlatformDependent;
import io.reactorucx.netty.io.SocketReads;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A server whose accepted channels go over UCX. What kind of socket it listens on, its subclasses say.
 *
 * <p>Thread: as other channels of Netty.
 */
abstract class AbstractUcxServerChannel extends AbstractServerChannel {

    private final ServerChannel socket;
    private final UcxServerChannelConfig config;
    private final SocketReads reads;
    private @Nullable IoRegistration registration;
    /** Of the socket, from the loop that the channel has left. */
    private @Nullable ChannelFuture deregistration;
    private volatile boolean bound;
    private volatile boolean closed;

    AbstractUcxServerChannel(ServerChannel socket) {
        this.socket = socket;
        this.config = new UcxServerChannelConfig(this, socket.config());
        this.reads = new SocketReads(this, 1);
        socket.config().setRecvByteBufAllocator(reads);
        socket.pipeline().addLast(new Accepting());
    }

    /** Makes the channel of a socket that was accepted. */
    abstract Channel accepted(Object accepted, @Nullable Boolean plain);

    /** Hands accepted sockets on as channels. */
    private final class Accepting extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            pipeline().fireChannelRead(accepted(message, config.plainTcp()));
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
        reads.asChannel();
        ChannelFuture before = deregistration;
        if (before == null) {
            UcxIoHandle.registerSocket(eventLoop(), socket, promise);
        } else {
            // The socket leaves the loop from before in a task of that loop.
            before.addListener(done -> UcxIoHandle.registerSocket(eventLoop(), socket, promise));
        }
    }

    @Override
    protected void doDeregister() {
        IoRegistration registered = registration;
        if (registered != null) {
            registered.cancel();
        }
        if (!closed && socket.isRegistered()) {
            // Else the socket would go on accepting.
            deregistration = socket.deregister();
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

    /**
     * The channel is not to read: nor is its socket, which would else try to accept without end while files are
     * missing. Another thread may have switched reading on again before the loop comes to this.
     */
    void clearReadPending() {
        if (!isRegistered()) {
            return;
        }
        if (eventLoop().inEventLoop()) {
            SocketReads.forget(socket);
        } else {
            eventLoop().execute(() -> {
                if (!config.isAutoRead() && socket.isOpen()) {
                    SocketReads.forget(socket);
                }
            });
        }
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

    final UcxServerChannelConfig options() {
        return config;
    }

    @Override
    protected SocketAddress localAddress0() {
        return socket.localAddress();
    }
}
