package io.reactorucx.transport.connect;

import io.reactorucx.transport.command.EngineFuture;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.socket.ControlSocket;
import io.reactorucx.transport.socket.PeerName;
import io.reactorucx.transport.socket.PendingHandshakes;
import io.reactorucx.transport.socket.SocketEventLoop;
import io.reactorucx.transport.socket.TlsSide;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the engines for the clients of a server by the addresses of their sockets. Engines for a network device by
 * which no client has come before have to be made first: the socket waits, as a handshake that is pending.
 *
 * <p>Thread: socket loop.
 */
public final class EngineChoice {

    /** Returns the engines for a client, by this and its end of the socket. */
    @FunctionalInterface
    public interface OfClient {

        CompletableFuture<EngineResources> apply(InetSocketAddress local, InetSocketAddress client);
    }

    private static final Logger LOG = LoggerFactory.getLogger(EngineChoice.class);

    private final SocketEventLoop loop;
    private final PendingHandshakes pending;
    private final Duration closeTimeout;
    private final Function<PeerOrigin, @Nullable TlsSide> tls;
    private final EngineChoice.OfClient ofClient;

    EngineChoice(SocketEventLoop loop, PendingHandshakes pending, Duration closeTimeout,
            Function<PeerOrigin, @Nullable TlsSide> tls, EngineChoice.OfClient ofClient) {
        this.loop = loop;
        this.pending = pending;
        this.closeTimeout = closeTimeout;
        this.tls = tls;
        this.ofClient = ofClient;
    }

    /** Starts a client on its engines, or rejects it with the reason why there are none. */
    void accepted(SocketChannel channel, InetSocketAddress client, Consumer<EngineResources> start) {
        InetSocketAddress local;
        try {
            local = (InetSocketAddress) channel.getLocalAddress();
        } catch (IOException e) {
            // The acceptor closes the socket.
            throw new UncheckedIOException(e);
        }
        Waiting waiting = new Waiting(channel);
        pending.add(waiting, PeerOrigin.of(client), waiting::evict);
        CompletableFuture<EngineResources> found;
        try {
            found = ofClient.apply(local, client);
        } catch (RuntimeException e) {
            found = CompletableFuture.failedFuture(e);
        }
        found.whenComplete((engines, error) -> waiting.endOnLoop(() -> {
            if (error == null) {
                start.accept(engines);
            } else {
                reject(channel, client, EngineFuture.cause(error));
            }
        }));
    }

    private void reject(SocketChannel channel, InetSocketAddress client, Throwable error) {
        LOG.warn("[{}] not accepted: {}", PeerName.of(client), error.getMessage());
        try {
            TlsSide side = tls.apply(PeerOrigin.of(client));
            ControlSocket socket = ControlSocket.accepted(loop, channel, side, new ControlSocket.Listener() {
                @Override
                public void received(byte[] frame) {
                }

                @Override
                public void ended(IOException cause) {
                }
            });
            socket.send(new Rejection(String.valueOf(error.getMessage())).toFrame().toBytes());
            socket.shutdown(closeTimeout);
        } catch (IOException e) {
            LOG.debug("[{}] the rejection could not be sent", PeerName.of(client), e);
        }
    }

    /** A socket whose engines are being made. */
    private final class Waiting {

        private final SocketChannel channel;
        private boolean evicted;

        Waiting(SocketChannel channel) {
            this.channel = channel;
        }

        void evict() {
            evicted = true;
            pending.remove(this, false);
            close();
        }

        private void close() {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("Closing a socket failed", e);
            }
        }

        /** Thread: any. */
        void endOnLoop(Runnable then) {
            if (!loop.execute(() -> end(then))) {
                close();
            }
        }

        private void end(Runnable then) {
            if (evicted) {
                return;
            }
            pending.remove(this, true);
            try {
                then.run();
            } catch (RuntimeException | Error e) {
                LOG.debug("A socket failed before it was accepted", e);
                close();
            }
        }
    }
}
