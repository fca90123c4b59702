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
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.StringUtil;
import io.reactorucx.netty.io.HalfClosure;
import io.reactorucx.security.PeerCertificates;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A channel whose bytes go over UCX, or, if its peer is plain, over its socket. What kind of socket that is, its
 * subclasses say.
 *
 * <p>Thread: as other channels of Netty.
 */
abstract class AbstractUcxChannel extends AbstractChannel implements DuplexChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final DuplexChannel socket;
    private @Nullable IoRegistration registration;
    private @Nullable ChannelTransport transport;
    /** Of the loop that the transport belongs to. */
    private @Nullable UcxIoHandler opener;
    private @Nullable ChannelPromise connecting;
    /** The action that goes on with a close that waits for the linger time. */
    private @Nullable Runnable lingering;
    /** Whether the channel was asked to read before it had a transport. */
    private boolean readWanted;
    private final HalfClosure halves = new HalfClosure(this, this::shutdownInput0,
            promise -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise));
    private volatile boolean connected;
    private volatile boolean closed;

    AbstractUcxChannel(@Nullable Channel parent, DuplexChannel socket) {
        super(parent);
        this.socket = socket;
        this.connected = socket.isActive();
    }

    /** Returns an address of the server's host for UCX, or throws if the channel cannot connect to an address. */
    abstract InetSocketAddress hostOf(SocketAddress remote);

    /** Returns whether a client's channel to an address is plain, unless its options say it. */
    abstract boolean isPlain(SocketAddress remote, UcxPlainTcpConfig config);

    /** Returns an address of this host for UCX, of an accepted channel. */
    abstract InetSocketAddress host();

    /** Returns where the loop of an accepted channel listens for links. */
    abstract InetAddress linkAddress();

    /** Returns where the loop of a server listens for links, once a channel is connected to it. */
    abstract InetAddress linkPeer();

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(UcxIoHandle.class);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        UcxIoHandle.register(eventLoop(), this::closeWithLoop, made -> registered(made, promise), promise);
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
                transport = ChannelTransport.ofServer(this, socket, handler);
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
        config().resetSocketAtClose();
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
        stopReading();
    }

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
                connecting = promise;
                hostOf(remote);
                promise.addListener(done -> {
                    if (done.isCancelled()) {
                        connecting = null;
                        close(voidPromise());
                    }
                });
                ChannelTransport made = newTransport(remote);
                socket.config().setConnectTimeoutMillis(config().getConnectTimeoutMillis());
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
            int seconds = config().getSoLinger();
            return current == null || !connected || seconds <= 0 ? null : closing -> linger(current, seconds, closing);
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

    private ChannelTransport newTransport(SocketAddress remote) {
        UcxIoHandler handler = Objects.requireNonNull(registration).attachment();
        ChannelTransport made = ChannelTransport.ofClient(this, socket, handler, remote);
        opener = handler;
        transport = made;
        return made;
    }

    /** There is room to write again. */
    void writeAgain() {
        ((UcxUnsafe) unsafe()).writeAgain();
    }

    /** The flushed messages cannot be written. */
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
        halves.inputEnded();
    }

    /** The peer sends no more. */
    void inputEnded() {
        if (closed || isInputShutdown()) {
            return;
        }
        if (config().isAllowHalfClosure()) {
            halves.inputEnded();
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
                if (!config().isAutoRead()) {
                    stopReading();
                }
            });
        }
    }

    private void stopReading() {
        ChannelTransport current = transport;
        readWanted = false;
        if (current != null && !closed) {
            current.stopReading();
        }
    }

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

    private void linger(ChannelTransport current, int seconds, Runnable closing) {
        lingering = closing;
        markClosed();
        current.linger(seconds, this::endLinger);
    }

    /** Goes on with the close: the peer has all, the linger time is over, or the loop ends. */
    private void endLinger() {
        Runnable closing = lingering;
        if (closing != null) {
            lingering = null;
            closing.run();
        }
    }

    /** Ends SO_LINGER early: the loop shuts down and will reject tasks. Bytes that are queued are still sent. */
    private void closeWithLoop() {
        unsafe().close(voidPromise());
        endLinger();
    }

    private void markClosed() {
        closed = true;
        connected = false;
        halves.inputEnded();
        halves.outputEnded();
    }

    @Override
    protected void doClose() {
        markClosed();
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
        halves.outputEnded();
        current.shutdownOutput();
    }

    private void shutdownInput0(ChannelPromise promise) {
        ChannelTransport current = transport;
        if (!connected || current == null) {
            promise.setFailure(closed ? new ClosedChannelException() : new NotYetConnectedException());
            return;
        }
        halves.inputEnded();
        current.shutdownInput(promise);
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        return halves.shutdownOutput(promise);
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return halves.shutdownInput(promise);
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        return halves.shutdown(promise);
    }

    @Override
    public boolean isInputShutdown() {
        return halves.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return halves.isOutputShutdown();
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

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
    public abstract AbstractUcxChannelConfig config();

    /**
     * {@return the certificates of the peer's loop ({@link UcxNettyConfig#tls()}); empty without TLS, for a plain
     * channel, and before the first byte has come}
     *
     * <p><b>Threading:</b> the channel's loop.
     */
    public final Optional<PeerCertificates> peerCertificates() {
        return transport instanceof StreamTransport stream ? Optional.ofNullable(stream.peerCertificates())
                : Optional.empty();
    }

    @Override
    protected SocketAddress localAddress0() {
        return socket.localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return socket.remoteAddress();
    }
}
