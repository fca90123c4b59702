package io.reactorucx.rsocket;

import io.netty.buffer.ByteBufAllocator;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.rsocket.transport.ServerTransport;
import java.util.Objects;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Accepts RSocket connections over UCX: each is one connection of a {@link UcxServer}, each frame one message of it.
 * Immutable: each setter returns a changed copy.
 *
 * <p><b>Threading:</b> any thread; RSocket's handlers run on the connection's engine, which they must not block.
 * <b>Ownership:</b> {@link UcxBoundTransport} is closed by its user, the resources of the server by theirs.
 * <b>Errors:</b> {@link #start} fails as {@link UcxServer#bind()} does.
 */
public final class UcxServerTransport implements ServerTransport<UcxBoundTransport> {

    private final UcxServer server;
    private final TransportSettings settings;

    private UcxServerTransport(UcxServer server, TransportSettings settings) {
        this.server = server;
        this.settings = settings;
    }

    /**
     * Creates a transport from a server, whose address, authenticator, limits and hooks it uses.
     *
     * @param server the server, not {@link UcxServer#raw(boolean)}; its handler is replaced, a responder of its own
     * goes on beside RSocket
     * @return the transport
     */
    public static UcxServerTransport create(UcxServer server) {
        if (Objects.requireNonNull(server, "server").isRaw()) {
            throw new IllegalArgumentException("server " + server + ": raw(true) has no messages, which RSocket needs");
        }
        return new UcxServerTransport(server, TransportSettings.DEFAULT);
    }

    /**
     * Creates a transport with the default settings of a server.
     *
     * @param resources its engines and buffers
     * @param host name or address of this host, {@code 0.0.0.0} for all
     * @param port 0 to 65535, 0 for one that the system chooses
     * @return the transport
     */
    public static UcxServerTransport create(UcxResources resources, String host, int port) {
        return create(UcxServer.create(resources).bindAddress(host, port));
    }

    /**
     * Limits the frames that RSocket sends: a larger payload needs RSocket's fragmentation, else its request fails. Not
     * more than the peer's {@code maxMessageBytes}, or a frame between the two ends its connection.
     *
     * @param bytes 64 to 16777215, which is the default
     * @return a changed copy
     */
    public UcxServerTransport maxFrameLength(int bytes) {
        return new UcxServerTransport(server, settings.withMaxFrameLength(bytes));
    }

    /**
     * Limits the bytes of a connection's frames that wait for credit of the peer or for memory. RSocket cannot be told
     * to wait, so a frame beyond the limit ends the connection with an error that names the limit; one that waits
     * alone may have any size.
     *
     * @param bytes at least 1; 64 MiB by default
     * @return a changed copy
     */
    public UcxServerTransport maxQueuedBytes(long bytes) {
        return new UcxServerTransport(server, settings.withMaxQueuedBytes(bytes));
    }

    /**
     * Sets the allocator from which RSocket takes the memory of the frames that it sends.
     *
     * @param value {@link ByteBufAllocator#DEFAULT} by default
     * @return a changed copy
     */
    public UcxServerTransport allocator(ByteBufAllocator value) {
        return new UcxServerTransport(server, settings.withAllocator(value));
    }

    @Override
    public int maxFrameLength() {
        return settings.maxFrameLength();
    }

    @Override
    public Mono<UcxBoundTransport> start(ConnectionAcceptor acceptor) {
        Objects.requireNonNull(acceptor, "acceptor");
        return Mono.defer(() -> {
            TransportCounters counters = new TransportCounters();
            return server.handle((UcxConnection accepted) -> serve(accepted, acceptor, counters))
                    .bind(bound -> new UcxBoundTransport(bound, counters));
        });
    }

    /** The end of the returned publisher closes the connection. */
    private Publisher<Void> serve(UcxConnection accepted, ConnectionAcceptor acceptor, TransportCounters counters) {
        UcxDuplexConnection connection = UcxDuplexConnection.start(accepted, new FrameRules(false), settings, counters);
        // A connection that fails before its SETUP has said why, and closes itself.
        return Mono.from(acceptor.apply(connection)).onErrorComplete(UcxClosedChannelException.class)
                .then(accepted.onDispose());
    }

    @Override
    public String toString() {
        return "UcxServerTransport[" + server + "]";
    }
}
