package io.reactorucx.internal.socket;

import io.reactorucx.internal.frame.BindFrame;
import java.io.IOException;
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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/**
 * The socket between two framework peers: first it carries the frames of the handshake, afterwards its end says that
 * the peer has gone.
 *
 * <p>A frame is its size, 4 bytes in network byte order, and that many bytes. A size that no frame has ends the socket:
 * strangers speak here.
 *
 * <p><b>Threading:</b> {@link #send}, {@link #finish} and {@link #close} from any thread; the listener is called on the
 * loop's. <b>Ownership:</b> whoever made it closes it. <b>Errors:</b> told to the listener, which is the last that it
 * hears.
 */
public final class ControlSocket implements SocketEventLoop.Events {

    private static final int MOST_READS = 64;
    private static final int MOST_DISCARDED_BYTES = 16 << 10;
    private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);
    private static final int FIRST_BYTES = 512;
    private static final int MAX_UNSENT_FRAMES = 16;

    /** Told what comes, on the loop's thread. */
    public interface Listener {

        /** A socket that was to be connected is. */
        default void connected(ControlSocket socket) {
        }

        void received(byte[] frame);

        /** The peer has closed it, or it failed; not called when this side closes. */
        void ended(IOException cause);
    }

    private final SocketEventLoop loop;
    private final SocketChannel channel;
    private final Listener listener;
    private final ByteBuffer size = ByteBuffer.allocate(Integer.BYTES);
    private final Queue<ByteBuffer> unsent = new ArrayDeque<>();
    private @Nullable ByteBuffer body;
    private int bodyBytes;
    private @Nullable SelectionKey key;
    private boolean finishing;
    /** What comes from a peer that has been refused: some of it is read, so that the peer can read why. */
    private @Nullable ByteBuffer discarded;
    private boolean closed;

    private ControlSocket(SocketEventLoop loop, SocketChannel channel, Listener listener) {
        this.loop = loop;
        this.channel = channel;
        this.listener = listener;
    }

    /** Begins to connect; the listener hears how that ends. */
    public static ControlSocket connect(SocketEventLoop loop, InetSocketAddress remote, Listener listener)
            throws IOException {
        SocketChannel channel = SocketChannel.open();
        ControlSocket socket = new ControlSocket(loop, channel, listener);
        boolean begun = loop.execute(() -> {
            try {
                socket.prepare(SelectionKey.OP_CONNECT);
                if (channel.connect(remote)) {
                    socket.isConnected();
                }
            } catch (IOException e) {
                socket.failed(e);
            }
        });
        if (!begun) {
            channel.close();
            throw new IOException("these resources are closed");
        }
        return socket;
    }

    /** Takes a socket that a listener accepted, on the loop's thread. */
    public static ControlSocket accepted(SocketEventLoop loop, SocketChannel channel, Listener listener)
            throws IOException {
        ControlSocket socket = new ControlSocket(loop, channel, listener);
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

    private void isConnected() {
        Objects.requireNonNull(key).interestOps(SelectionKey.OP_READ);
        listener.connected(this);
    }

    @Override
    public void ready(SelectionKey selected) throws IOException {
        if (selected.isConnectable() && channel.finishConnect()) {
            isConnected();
        }
        if (selected.isValid() && selected.isReadable()) {
            read();
        }
        if (selected.isValid() && selected.isWritable()) {
            write();
        }
    }

    private void read() throws IOException {
        // A turn at a time: whoever sends without an end would have the thread for itself.
        for (int reads = 0; reads < MOST_READS && !closed; reads++) {
            ByteBuffer into = discarded != null ? discarded : body == null ? size : body;
            int count = channel.read(into);
            if (count < 0) {
                throw new IOException("the peer has closed the socket");
            }
            if (finishing) {
                if (!into.hasRemaining()) {
                    throw new IOException("the peer goes on although it was refused");
                }
            } else if (!into.hasRemaining()) {
                filled(into);
            }
            if (count == 0) {
                return;
            }
        }
    }

    private void filled(ByteBuffer full) throws IOException {
        if (full == size) {
            bodyBytes = size.getInt(0);
            size.clear();
            if (bodyBytes < 1 || bodyBytes > BindFrame.MAX_BYTES) {
                throw new IOException("what came is no frame");
            }
            body = ByteBuffer.allocate(Math.min(bodyBytes, FIRST_BYTES));
        } else if (full.capacity() < bodyBytes) {
            // Room only for what has come: a size is quickly said.
            body = ByteBuffer.wrap(Arrays.copyOf(full.array(), Math.min(bodyBytes, 2 * full.capacity())))
                    .position(full.capacity());
        } else {
            body = null;
            listener.received(full.array());
        }
    }

    /** Sends a frame; one that cannot be sent is followed by the end of the socket. */
    public void send(byte[] frame) {
        loop.execute(() -> {
            if (closed || finishing) {
                return;
            }
            if (unsent.size() >= MAX_UNSENT_FRAMES) {
                failed(new IOException("the peer does not read"));
                return;
            }
            unsent.add(ByteBuffer.allocate(Integer.BYTES + frame.length).putInt(frame.length).put(frame).flip());
            try {
                write();
            } catch (IOException e) {
                failed(e);
            }
        });
    }

    private void write() throws IOException {
        SelectionKey registered = Objects.requireNonNull(key);
        for (ByteBuffer next = unsent.peek(); next != null; next = unsent.peek()) {
            channel.write(next);
            if (next.hasRemaining()) {
                registered.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                return;
            }
            unsent.remove();
        }
        registered.interestOps(SelectionKey.OP_READ);
        if (finishing) {
            channel.shutdownOutput();
        }
    }

    /**
     * Sends nothing after what was sent, and hears nothing more; the peer has some time to read it and to end the
     * socket.
     */
    public void finish(Duration patience) {
        Schedulers.parallel().schedule(() -> loop.execute(() ->
                failed(new IOException("the peer has not ended the socket"))),
                patience.toMillis(), TimeUnit.MILLISECONDS);
        loop.execute(() -> {
            if (!closed && !finishing) {
                finishing = true;
                discarded = ByteBuffer.allocate(MOST_DISCARDED_BYTES);
                body = null;
                size.clear();
                try {
                    write();
                } catch (IOException e) {
                    failed(e);
                }
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

    /** Closes it without another word. */
    public void close() {
        if (!loop.execute(this::closeNow)) {
            // The loop closes what is registered with it; this is for one that has not come so far.
            closeChannel();
        }
    }

    private void closeNow() {
        closed = true;
        unsent.clear();
        closeChannel();
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("A socket was not closed in good order", e);
        }
    }
}
