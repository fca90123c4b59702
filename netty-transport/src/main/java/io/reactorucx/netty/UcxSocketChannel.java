package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
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
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A channel whose bytes go over UCX to a channel of a {@link UcxServerChannel}. A TCP socket beside it has the
 * addresses, and tells of the peer's end. With {@link UcxChannelOption#PLAIN_TCP} the bytes go over that socket.
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
    private @Nullable IoRegistration registration;
    private @Nullable ChannelTransport transport;
    /** Of the loop that the transport belongs to. */
    private @Nullable UcxIoHandler opener;
    private @Nullable ChannelPromise connecting;
    /** Whether the channel was asked to read before it had a transport. */
    private boolean readWanted;
    private volatile boolean connected;
    private volatile boolean closed;
    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;

    /** A channel that is not connected. */
    public UcxSocketChannel() {
        this(null, new EpollSocketChannel(), null);
    }

    UcxSocketChannel(@Nullable Channel parent, EpollSocketChannel socket, @Nullable Boolean plainTcp) {
        super(parent);
        this.socket = socket;
        this.config = new UcxSocketChannelConfig(this, socket.config(), plainTcp);
        this.connected = socket.isActive();
    }

    // ---- registration

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
            UcxIoHandler handler = made.attachment();
            if (transport != null && handler != opener) {
                throw new IllegalStateException("a channel over UCX stays with its loop");
            }
            if (connected && transport == null) {
                opener = handler;
                transport = handler.config().acceptsPlain(config.plainTcp())
                        ? UndecidedTransport.of(this, socket, handler)
                        : StreamTransport.ofServer(this, socket, handler);
                if (transport == null) {
                    refuse(promise);
                    return;
                }
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

    /** The loop has as many channels as it may. The registration does not fail: Netty would log that each time. */
    private void refuse(ChannelPromise promise) {
        connected = false;
        socket.config().setSoLinger(0);
        promise.setSuccess();
        unsafe().close(voidPromise());
    }

    /** The peer has shown what it is. */
    void decided(ChannelTransport made) {
        transport = made;
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
                ChannelTransport made = newTransport(address);
                socket.config().setConnectTimeoutMillis(config.getConnectTimeoutMillis());
                socket.connect(remote, local).addListener(done -> {
                    if (done.isSuccess()) {
                        connected(made);
                    } else {
                        connectFailed(done.cause(), remote);
                    }
                });
            } catch (RuntimeException e) {
                connectFailed(e, remote);
            }
        }

        private void connected(ChannelTransport made) {
            ChannelPromise promise = connecting;
            connecting = null;
            if (closed) {
                return;
            }
            connected = true;
            made.connected();
            if (readWanted) {
                made.beginRead();
            }
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

        @Override
        protected @Nullable Executor prepareToClose() {
            ChannelTransport current = transport;
            return current == null ? null : current.closing();
        }

        void writeAgain() {
            super.flush0();
        }

        void writeFailed(Throwable cause) {
            handleWriteError(cause);
        }

        void closeBroken(IOException cause) {
            ClosedChannelException closedByIt = new ClosedChannelException();
            closedByIt.initCause(cause);
            close(voidPromise(), cause, closedByIt);
        }
    }

    private ChannelTransport newTransport(InetSocketAddress remote) {
        UcxIoHandler handler = Objects.requireNonNull(registration).attachment();
        Boolean option = config.plainTcp();
        opener = handler;
        ChannelTransport made = (option == null ? handler.config().plainTcp().remotes().test(remote) : option)
                ? PlainTransport.ofClient(this, socket, handler.counters())
                : StreamTransport.ofClient(this, socket, handler, remote);
        transport = made;
        return made;
    }

    // ---- what the transport tells

    /** There is room to write again. */
    void writeAgain() {
        ((UcxUnsafe) unsafe()).writeAgain();
    }

    /** What was flushed cannot be written. */
    void writeFailed(Throwable cause) {
        ((UcxUnsafe) unsafe()).writeFailed(cause);
    }

    void broken(IOException cause) {
        if (!closed) {
            pipeline().fireExceptionCaught(cause);
            ((UcxUnsafe) unsafe()).closeBroken(cause);
        }
    }

    /** The socket of a plain channel has closed. */
    void socketClosed() {
        if (!closed) {
            unsafe().close(unsafe().voidPromise());
        }
    }

    /** The peer of a plain channel sends no more. */
    void inputIsShutdown() {
        inputShutdown = true;
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
        ChannelTransport current = transport;
        readWanted = true;
        if (current != null && connected) {
            current.beginRead();
        }
    }

    /** Another thread may have switched reading on again before the loop comes to this. */
    void clearReadPending() {
        if (!isRegistered() || eventLoop().inEventLoop()) {
            stopReading();
        } else {
            eventLoop().execute(() -> {
                if (!config.isAutoRead()) {
                    stopReading();
                }
            });
        }
    }

    private void stopReading() {
        ChannelTransport current = transport;
        readWanted = false;
        if (current != null) {
            current.stopReading();
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
        Objects.requireNonNull(transport).write(out);
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
        ChannelTransport current = transport;
        if (current != null) {
            current.close();
        } else if (socket.isRegistered()) {
            socket.close();
        } else {
            socket.unsafe().closeForcibly();
        }
    }

    @Override
    protected void doShutdownOutput() throws Exception {
        ChannelTransport current = transport;
        if (!connected || current == null) {
            throw new NotYetConnectedException();
        }
        outputShutdown = true;
        current.shutdownOutput();
    }

    private void shutdownInput0(ChannelPromise promise) {
        ChannelTransport current = transport;
        if (!connected || current == null) {
            promise.setFailure(closed ? new ClosedChannelException() : new NotYetConnectedException());
            return;
        }
        inputShutdown = true;
        current.shutdownInput(promise);
    }

    private void onLoop(Runnable action) {
        if (eventLoop().inEventLoop()) {
            action.run();
        } else {
            eventLoop().execute(action);
        }
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        onLoop(() -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        onLoop(() -> shutdownInput0(promise));
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
