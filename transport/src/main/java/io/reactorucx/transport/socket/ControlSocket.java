package io.reactorucx.transport.socket;

import io.reactorucx.security.PeerCertificates;
import io.reactorucx.transport.frame.BindFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Future;
import javax.net.ssl.SSLException;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TCP socket between two framework peers, with TLS if both sides have it. It carries the frames of the handshake;
 * afterwards its end tells that the peer is gone.
 *
 * <p>A frame is its size, 4 bytes in network byte order, and that many bytes. An invalid size closes the socket: the
 * sender is not yet authenticated.
 *
 * <p><b>Threading:</b> {@link #send}, {@link #shutdown} and {@link #close} from any thread; the listener is called on
 * the loop's. <b>Ownership:</b> the caller that connected or accepted the socket closes it. <b>Errors:</b> the
 * listener's {@code ended} is called once, as its last callback.
 */
public final class ControlSocket implements ControlChannel, SocketEventLoop.Events {

    private static final int MAX_READS = 64;
    private static final int MAX_DISCARDED_BYTES = 16 << 10;
    private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);
    private static final int INITIAL_BODY_BYTES = 512;
    private static final int MAX_UNSENT_FRAMES = 16;

    /**
     * Receives the frames of a socket.
     *
     * <p>Thread: socket loop.
     */
    public interface Listener {

        /** The socket is connected; not called for an accepted socket. */
        default void connected(ControlSocket socket) {
        }

        /**
         * TLS has authenticated the peer: what comes from now on comes from it.
         *
         * @param peer null if the peer has shown no certificate
         * @param exported what both sides get from TLS alone, for the keys of their data
         */
        default void secured(@Nullable PeerCertificates peer, SecretKey exported) {
        }

        /**
         * TLS has failed, or one side speaks TLS and the other does not. The listener shuts the socket down; a last
         * frame reaches the peer if it speaks no TLS.
         */
        default void notSecured(ControlSocket socket, IOException cause) {
            socket.failed(cause);
        }

        void received(byte[] frame);

        /** The peer has closed the socket, or it has failed; not called when this side closes it. */
        void ended(IOException cause);
    }

    private final SocketEventLoop loop;
    private final SocketChannel channel;
    private final Listener listener;
    private final ByteBuffer size = ByteBuffer.allocate(Integer.BYTES);
    private final Queue<ByteBuffer> unsent = new ArrayDeque<>();
    private SocketLayer layer;
    private boolean secured;
    private boolean outputShutDown;
    private boolean resumesLater;
    private @Nullable ByteBuffer body;
    private int bodyBytes;
    private @Nullable SelectionKey key;
    private boolean shuttingDown;
    /** Bytes of a rejected peer, which are read and dropped: unread ones would make the system reset the socket. */
    private int discardedBytes;
    private @Nullable Future<?> shutdownTimeout;
    private boolean closed;

    private ControlSocket(SocketEventLoop loop, SocketChannel channel, @Nullable TlsSide tls, Listener listener) {
        this.loop = loop;
        this.channel = channel;
        this.listener = listener;
        this.layer = tls == null ? new PlainLayer(channel)
                : new TlsLayer(channel, tls, loop::execute, this::resume, this::resumeLater);
    }

    /**
     * Starts to connect; calls the listener when the socket is connected, or has failed.
     *
     * @param local an address of this host, null for any
     * @param tls this side of TLS, null for none
     */
    public static ControlSocket connect(SocketEventLoop loop, @Nullable InetAddress local, InetSocketAddress remote,
            @Nullable TlsSide tls, Listener listener) throws IOException {
        SocketChannel channel = open();
        ControlSocket socket = new ControlSocket(loop, channel, tls, listener);
        boolean started = loop.execute(() -> {
            try {
                socket.prepare(SelectionKey.OP_CONNECT);
                if (local != null) {
                    channel.bind(new InetSocketAddress(local, 0));
                }
                if (channel.connect(remote)) {
                    socket.onConnected();
                }
            } catch (IOException e) {
                socket.failed(e);
            } catch (RuntimeException | Error e) {
                socket.failed(new IOException(e));
            }
        });
        if (!started) {
            channel.close();
            throw loop.endCause();
        }
        return socket;
    }

    private static SocketChannel open() throws IOException {
        try {
            return SocketChannel.open();
        } catch (IOException | LinkageError e) {
            // The JDK's classes of sockets fail to initialize where they cannot open a file.
            throw new IOException(SocketEventLoop.explained(e), e);
        }
    }

    /** Takes over a socket that a listener has accepted. Thread: socket loop. */
    public static ControlSocket accepted(SocketEventLoop loop, SocketChannel channel, @Nullable TlsSide tls,
            Listener listener) throws IOException {
        ControlSocket socket = new ControlSocket(loop, channel, tls, listener);
        socket.prepare(SelectionKey.OP_READ);
        return socket;
    }

    private void prepare(int operations) throws IOException {
        if (!closed) {
            key = loop.register(channel, operations, this);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        }
    }

    private void onConnected() {
        Objects.requireNonNull(key).interestOps(SelectionKey.OP_READ);
        listener.connected(this);
    }

    @Override
    public void ready(SelectionKey selected) throws IOException {
        if (selected.isConnectable()) {
            if (!channel.finishConnect()) {
                return;
            }
            onConnected();
        }
        if (selected.isValid()) {
            advance();
        }
    }

    /** Reads and writes what can be without waiting: with TLS each of the two may wait for the other. */
    private void advance() throws IOException {
        try {
            read();
            if (!closed) {
                write();
            }
        } catch (SSLException | PlainPeerException e) {
            notSecured(e);
        }
    }

    private void notSecured(IOException cause) {
        if (secured || shuttingDown) {
            failed(cause);
            return;
        }
        body = null;
        size.clear();
        if (cause instanceof PlainPeerException) {
            layer.close();
            layer = new PlainLayer(channel);
        }
        listener.notSecured(this, cause);
    }

    private void tryWrite() {
        try {
            write();
        } catch (SSLException e) {
            notSecured(e);
        } catch (IOException e) {
            failed(e);
        }
    }

    /** Goes on after a step of TLS that was done elsewhere, or with what the layer has read. */
    private void resume() {
        if (!closed) {
            try {
                advance();
            } catch (IOException e) {
                failed(e);
            } catch (RuntimeException | Error e) {
                LOG.error("Handling the bytes of a socket failed, it is closed", e);
                failed(new IOException(e));
            }
        }
    }

    private void read() throws IOException {
        // Bounded, so that a peer that sends without pause does not starve the other sockets.
        for (int reads = 0; reads < MAX_READS && !closed; reads++) {
            ByteBuffer into = shuttingDown ? loop.discarded() : body == null ? size : body;
            int count = layer.read(into);
            if (count < 0) {
                throw new IOException("the peer has closed the socket");
            }
            if (shuttingDown) {
                discardedBytes += count;
                if (discardedBytes >= MAX_DISCARDED_BYTES) {
                    throw new IOException("the peer goes on sending although it was rejected");
                }
            } else if (!into.hasRemaining()) {
                filled(into);
            }
            if (count == 0) {
                return;
            }
        }
        if (!closed) {
            // The layer may have read more from the channel, of which the selector knows nothing.
            resumeLater();
        }
    }

    private void resumeLater() {
        if (!resumesLater) {
            resumesLater = true;
            loop.afterSelect(() -> {
                resumesLater = false;
                resume();
            });
        }
    }

    private void filled(ByteBuffer full) throws IOException {
        if (full == size) {
            bodyBytes = size.getInt(0);
            size.clear();
            if (size.get(0) == TlsLayer.HANDSHAKE_RECORD && layer instanceof PlainLayer) {
                throw new PlainPeerException(TlsSide.mismatch(true));
            }
            if (bodyBytes < 1 || bodyBytes > BindFrame.MAX_BYTES) {
                throw new IOException("the bytes are no frame");
            }
            body = ByteBuffer.allocate(Math.min(bodyBytes, INITIAL_BODY_BYTES));
        } else if (full.capacity() < bodyBytes) {
            // Grows with the bytes that have come: a peer can claim any size.
            body = ByteBuffer.wrap(Arrays.copyOf(full.array(), Math.min(bodyBytes, 2 * full.capacity())))
                    .position(full.capacity());
        } else {
            body = null;
            if (!secured && layer instanceof TlsLayer tls) {
                secured = true;
                listener.secured(tls.peerCertificates(), tls.exported());
            }
            listener.received(full.array());
        }
    }

    /** Returns the address of this end. */
    public InetSocketAddress localAddress() throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    /** Sends a frame. If that fails, the socket closes. */
    @Override
    public void send(byte[] frame) {
        loop.execute(() -> {
            if (closed || shuttingDown) {
                return;
            }
            if (unsent.size() >= MAX_UNSENT_FRAMES) {
                failed(new IOException("the peer does not read"));
                return;
            }
            unsent.add(ByteBuffer.allocate(Integer.BYTES + frame.length).putInt(frame.length).put(frame).flip());
            tryWrite();
        });
    }

    private void write() throws IOException {
        SelectionKey registered = Objects.requireNonNull(key);
        boolean flushed = layer.flush();
        for (ByteBuffer next = unsent.peek(); next != null && flushed; next = unsent.peek()) {
            layer.write(next);
            flushed = !next.hasRemaining();
            if (flushed) {
                unsent.remove();
            }
        }
        if (shuttingDown && !outputShutDown && unsent.isEmpty()) {
            outputShutDown = true;
            layer.shutdownOutput();
        }
        if (registered.isValid()) {
            registered.interestOps(layer.interest());
        }
    }

    /**
     * Sends nothing after the frames that were sent, and delivers no more frames. The peer has until the timeout to
     * read them and to close the socket.
     */
    public void shutdown(Duration timeout) {
        loop.execute(() -> {
            if (!closed && !shuttingDown) {
                shuttingDown = true;
                shutdownTimeout = loop.schedule(timeout,
                        () -> failed(new IOException("the peer has not closed the socket")));
                body = null;
                size.clear();
                tryWrite();
            }
        });
    }

    @Override
    public void failed(IOException error) {
        if (!closed) {
            closeNow();
            listener.ended(error);
        }
    }

    /** Closes the socket; the listener is not called any more. */
    @Override
    public void close() {
        if (!loop.execute(this::closeNow)) {
            // The closed loop has closed its registered sockets; this one may not be registered yet.
            closeChannel();
        }
    }

    private void closeNow() {
        closed = true;
        unsent.clear();
        body = null;
        if (shutdownTimeout != null) {
            // A pending timeout would keep this socket and its handshake reachable.
            shutdownTimeout.cancel(false);
        }
        layer.close();
        loop.remove(this);
        closeChannel();
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("Closing a socket failed", e);
        }
    }
}
