package io.reactorucx.transport.socket;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening socket of a server for framework peers.
 *
 * <p>Thread: socket loop, but for {@link BoundListener}'s methods, which any thread may call.
 */
public final class ControlSocketAcceptor implements SocketEventLoop.Events, BoundListener {

    private static final Logger LOG = LoggerFactory.getLogger(ControlSocketAcceptor.class);
    private static final Duration RETRY_DELAY = Duration.ofMillis(200);
    private static final int MAX_ACCEPTS = 16;

    private final SocketEventLoop loop;
    private final ServerSocketChannel channel;
    private final InetSocketAddress address;
    private final PendingHandshakes pending;
    private final BiConsumer<SocketChannel, InetSocketAddress> accepted;
    private final CompletableFuture<@Nullable Void> failure = new CompletableFuture<>();
    private @Nullable SelectionKey key;

    private ControlSocketAcceptor(SocketEventLoop loop, ServerSocketChannel channel, PendingHandshakes pending,
            BiConsumer<SocketChannel, InetSocketAddress> accepted) throws IOException {
        this.loop = loop;
        this.channel = channel;
        this.address = (InetSocketAddress) channel.getLocalAddress();
        this.pending = pending;
        this.accepted = accepted;
    }

    /** Starts to listen; {@code accepted} runs on the socket loop for each socket. Thread: any. */
    public static ControlSocketAcceptor bind(SocketEventLoop loop, InetSocketAddress address, PendingHandshakes pending,
            BiConsumer<SocketChannel, InetSocketAddress> accepted) {
        ServerSocketChannel channel = null;
        try {
            channel = ServerSocketChannel.open();
            channel.bind(address, pending.limit());
            ControlSocketAcceptor listener = new ControlSocketAcceptor(loop, channel, pending, accepted);
            if (!loop.execute(listener::register)) {
                throw loop.endCause();
            }
            return listener;
        } catch (IOException | UnresolvedAddressException | UnsupportedAddressTypeException e) {
            close(channel);
            throw new UcxException(status(address, e), "bind at " + address, null, SocketEventLoop.explained(e), e);
        } catch (LinkageError e) {
            // The JDK's classes of sockets fail to initialize where they cannot open a file.
            throw new UcxException(UcxStatus.NO_RESOURCE, "bind at " + address, null, SocketEventLoop.explained(e), e);
        }
    }

    private static UcxStatus status(InetSocketAddress address, Exception error) {
        try {
            boolean local = address.getAddress().isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address.getAddress()) != null;
            return !local ? UcxStatus.INVALID_ADDR : error instanceof BindException ? UcxStatus.BUSY
                    : UcxStatus.IO_ERROR;
        } catch (IOException e) {
            return UcxStatus.IO_ERROR;
        }
    }

    private void register() {
        try {
            key = loop.register(channel, SelectionKey.OP_ACCEPT, this);
        } catch (IOException e) {
            failed(e);
        }
    }

    private void interest(int operations) {
        if (key != null && key.isValid()) {
            key.interestOps(operations);
        }
    }

    @Override
    public void ready(SelectionKey selected) throws IOException {
        // Bounded: the accepted sockets are read before further ones evict them.
        for (int taken = 0; taken < MAX_ACCEPTS; taken++) {
            SocketChannel socket;
            try {
                socket = channel.accept();
            } catch (IOException | OutOfMemoryError e) {
                acceptLater(e);
                return;
            }
            if (socket == null) {
                return;
            }
            try {
                accepted.accept(socket, (InetSocketAddress) socket.getRemoteAddress());
            } catch (IOException | RuntimeException | Error e) {
                LOG.debug("A socket failed before it was accepted", e);
                socket.close();
            }
        }
    }

    /** Retries after a failure such as too many open files: the next accept may succeed. */
    private void acceptLater(Throwable error) throws IOException {
        if (!channel.isOpen()) {
            throw new IOException(error.getMessage(), error);
        }
        LOG.warn("{}: accepting a socket failed: {}; next attempt in {}", PeerName.of(address),
                SocketEventLoop.explained(error), RETRY_DELAY);
        interest(0);
        loop.schedule(RETRY_DELAY, () -> interest(SelectionKey.OP_ACCEPT));
    }

    @Override
    public void failed(IOException error) {
        close(channel);
        loop.remove(this);
        failure.completeExceptionally(new UcxException(UcxStatus.IO_ERROR, "listen at " + PeerName.of(address), null,
                "the listener has failed and is closed: " + error.getMessage(), error));
    }

    @Override
    public CompletableFuture<@Nullable Void> failure() {
        return failure;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public CompletableFuture<@Nullable Void> refuse() {
        return close();
    }

    @Override
    public CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        boolean started = loop.execute(() -> {
            close(channel);
            loop.remove(this);
            loop.afterSelect(() -> done.complete(null));
        });
        if (!started) {
            close(channel);
            done.complete(null);
        }
        return done;
    }

    private static void close(@Nullable ServerSocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            LOG.debug("Closing a listening socket failed", e);
        }
    }
}
