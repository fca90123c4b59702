package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.StringUtil;
import io.reactorucx.netty.internal.ChannelStream;
import io.reactorucx.netty.internal.LoopEngine;
import io.reactorucx.netty.internal.StreamListener;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A channel whose bytes go over UCX to a channel of a {@link UcxServerChannel}. A TCP socket beside it has the
 * addresses, and tells of the peer's end.
 *
 * <p>It is connected when its socket is: that the peer is no such server, or that no link comes about, fails the
 * channel afterwards, with the reason.
 *
 * <p><b>Threading:</b> as other channels of Netty; needs a loop of {@link UcxIoHandler}. <b>Ownership:</b> the caller
 * closes it. <b>Errors:</b> {@link IOException} by {@code exceptionCaught}, then the end of the channel.
 */
public final class UcxSocketChannel extends AbstractChannel implements SocketChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final EpollSocketChannel socket;
    private final UcxSocketChannelConfig config;
    private final Input input = new Input();
    private @Nullable IoRegistration registration;
    private @Nullable ChannelStream stream;
    /** Of the loop that the stream belongs to. */
    private @Nullable UcxIoHandler opener;
    private @Nullable ChannelPromise connecting;
    private final ChannelReader reader = new ChannelReader(this);
    private volatile boolean connected;
    private volatile boolean closed;
    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;

    /** A channel that is not connected. */
    public UcxSocketChannel() {
        this(null, new EpollSocketChannel());
    }

    UcxSocketChannel(@Nullable Channel parent, EpollSocketChannel socket) {
        super(parent);
        this.socket = socket;
        this.config = new UcxSocketChannelConfig(this, socket.config());
        this.connected = socket.isActive();
    }

    // ---- registration

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(UcxIoHandle.class);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register(new UcxIoHandle(() -> unsafe().close(voidPromise())))
                .addListener(future -> {
                    if (future.isSuccess()) {
                        registered((IoRegistration) future.getNow(), promise);
                    } else {
                        promise.setFailure(future.cause());
                    }
                });
    }

    private void registered(IoRegistration made, ChannelPromise promise) {
        registration = made;
        try {
            UcxIoHandler handler = handler(made);
            if (stream != null && handler != opener) {
                throw new IllegalStateException("a channel over UCX stays with its loop");
            }
            if (connected && stream == null) {
                openStream(handler, handler.engineForServer(socket.localAddress()), true);
            }
        } catch (RuntimeException e) {
            promise.setFailure(e);
            return;
        }
        if (socket.isRegistered()) {
            promise.setSuccess();
            return;
        }
        UcxIoHandle.registerSocket(eventLoop(), socket, promise);
    }

    private static UcxIoHandler handler(IoRegistration registered) {
        return registered.<UcxIoHandler>attachment();
    }

    private ChannelSocket openStream(UcxIoHandler handler, LoopEngine engine, boolean server) {
        ChannelSocket control = new ChannelSocket(socket, server, engine.links(), handler.counters());
        int window = config.openWindow(handler.config().windowBytes());
        ChannelStream made = engine.newStream(window, input, control);
        if (made == null) {
            throw new IllegalStateException("the loop has as many channels as its maxChannels "
                    + handler.config().maxChannels() + " allows");
        }
        control.stream(made);
        opener = handler;
        socket.pipeline().addLast(control);
        stream = made;
        if (server) {
            made.startHandshakeTime();
        }
        return control;
    }

    @Override
    protected void doDeregister() {
        IoRegistration registered = registration;
        if (registered != null) {
            registered.cancel();
        }
    }

    // ---- connecting

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new UcxUnsafe();
    }

    /** Connects, and lets the stream begin to write again. */
    private final class UcxUnsafe extends AbstractUnsafe {

        @Override
        public void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            if (connecting != null || connected) {
                promise.tryFailure(connected ? new AlreadyConnectedException() : new ConnectionPendingException());
                return;
            }
            try {
                InetSocketAddress address = (InetSocketAddress) remote;
                if (address.isUnresolved()) {
                    throw new UnresolvedAddressException();
                }
                connecting = promise;
                promise.addListener(done -> {
                    if (done.isCancelled()) {
                        connecting = null;
                        close(voidPromise());
                    }
                });
                UcxIoHandler handler = handler(Objects.requireNonNull(registration));
                ChannelSocket control = openStream(handler, handler.engineForClient(address), false);
                socket.config().setConnectTimeoutMillis(config.getConnectTimeoutMillis());
                socket.connect(remote, local).addListener(done -> {
                    if (done.isSuccess()) {
                        connected(control);
                    } else {
                        connectFailed(done.cause(), remote);
                    }
                });
            } catch (RuntimeException e) {
                connectFailed(e, remote);
            }
        }

        private void connected(ChannelSocket control) {
            ChannelPromise promise = connecting;
            connecting = null;
            ChannelStream open = stream;
            if (closed || open == null) {
                return;
            }
            connected = true;
            open.startHandshakeTime();
            control.greet();
            boolean wanted = promise == null || promise.trySuccess();
            // Also if a listener of the promise has closed the channel.
            pipeline().fireChannelActive();
            if (!wanted) {
                close(voidPromise());
            }
        }

        private void connectFailed(Throwable cause, SocketAddress remote) {
            ChannelPromise promise = connecting;
            connecting = null;
            if (promise != null) {
                promise.tryFailure(cause instanceof ConnectException ? cause : annotateConnectException(cause, remote));
            }
            close(voidPromise());
        }

        /** Writes again what had no room in the stream. */
        void writeAgain() {
            super.flush0();
        }

        void closeBroken(IOException cause) {
            ClosedChannelException closedByIt = new ClosedChannelException();
            closedByIt.initCause(cause);
            close(voidPromise(), cause, closedByIt);
        }
    }

    // ---- reading

    /** What the stream tells. */
    private final class Input implements StreamListener {

        @Override
        public ByteBufAllocator allocator() {
            return alloc();
        }

        @Override
        public void readable() {
            ChannelStream open = stream;
            if (open != null) {
                reader.readable(open);
            }
        }

        @Override
        public void writable() {
            ((UcxUnsafe) unsafe()).writeAgain();
        }

        @Override
        public void broken(IOException cause) {
            if (!closed) {
                pipeline().fireExceptionCaught(cause);
                ((UcxUnsafe) unsafe()).closeBroken(cause);
            }
        }
    }

    /** The peer sends no more. */
    void inputEnded() {
        if (closed || inputShutdown) {
            return;
        }
        if (config.isAllowHalfClosure()) {
            inputShutdown = true;
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        } else {
            unsafe().close(voidPromise());
        }
    }

    @Override
    protected void doBeginRead() {
        reader.want();
        ChannelStream open = stream;
        if (open != null && !inputShutdown) {
            open.readLater();
        }
    }

    void clearReadPending() {
        if (!isRegistered() || eventLoop().inEventLoop()) {
            reader.wantNot();
        } else {
            eventLoop().execute(() -> {
                if (!config.isAutoRead()) {
                    reader.wantNot();
                }
            });
        }
    }

    // ---- writing

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message)
                + " (expected: ByteBuf, FileRegion)");
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws Exception {
        ChannelWriter.write(out, Objects.requireNonNull(stream), config.getSendBufferSize(), alloc());
    }

    // ---- the end

    @Override
    protected void doBind(SocketAddress local) {
        ChannelFuture done = socket.bind(local);
        if (done.cause() != null) {
            PlatformDependent.throwException(done.cause());
        }
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        closed = true;
        connected = false;
        inputShutdown = true;
        outputShutdown = true;
        ChannelPromise promise = connecting;
        connecting = null;
        if (promise != null) {
            promise.tryFailure(new ClosedChannelException());
        }
        ChannelStream open = stream;
        if (open != null) {
            open.close(config.getSoLinger() == 0);
        } else if (socket.isRegistered()) {
            socket.close();
        } else {
            socket.unsafe().closeForcibly();
        }
    }

    @Override
    protected void doShutdownOutput() {
        ChannelStream open = stream;
        if (!connected || open == null) {
            throw new NotYetConnectedException();
        }
        outputShutdown = true;
        open.shutdownOutput();
    }

    private void shutdownInput0(ChannelPromise promise) {
        ChannelStream open = stream;
        if (!connected || open == null) {
            promise.setFailure(closed ? new ClosedChannelException() : new NotYetConnectedException());
            return;
        }
        inputShutdown = true;
        open.shutdownInput();
        promise.setSuccess();
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
        } else {
            loop.execute(() -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise));
        }
        return promise;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            shutdownInput0(promise);
        } else {
            loop.execute(() -> shutdownInput0(promise));
        }
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput().addListener(output -> shutdownInput().addListener(done -> {
            Throwable cause = output.isSuccess() ? done.cause() : output.cause();
            if (cause == null) {
                promise.setSuccess();
            } else {
                promise.setFailure(cause);
            }
        }));
        return promise;
    }

    @Override
    public boolean isInputShutdown() {
        return inputShutdown;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown;
    }

    @Override
    public boolean isShutdown() {
        return inputShutdown && outputShutdown;
    }

    // ---- what it is

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return connected;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public UcxSocketChannelConfig config() {
        return config;
    }

    @Override
    protected SocketAddress localAddress0() {
        return socket.localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return socket.remoteAddress();
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    public ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }
}
