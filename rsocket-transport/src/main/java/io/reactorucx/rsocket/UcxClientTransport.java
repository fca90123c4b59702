package io.reactorucx.rsocket;

import io.netty.buffer.ByteBufAllocator;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.rsocket.DuplexConnection;
import io.rsocket.transport.ClientTransport;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * Connects RSocket over UCX: each {@link #connect()} makes one connection of a {@link UcxClient}, each frame is one
 * message of it. Immutable: each setter returns a changed copy, which counts its own connections.
 *
 * <p><b>Threading:</b> any thread; RSocket's signals come on the connection's engine, which they must not block.
 * <b>Ownership:</b> RSocket closes the connections, the user of the client disposes of its resources. <b>Errors:</b>
 * {@link #connect()} fails as {@link UcxClient#connect()} does. A connection that is lost ends with a
 * {@link UcxClosedChannelException}.
 */
public final class UcxClientTransport implements ClientTransport {

    private final UcxClient client;
    private final TransportSettings settings;
    private final TransportCounters counters = new TransportCounters();

    private UcxClientTransport(UcxClient client, TransportSettings settings) {
        this.client = client;
        this.settings = settings;
    }

    /**
     * Creates a transport from a client, whose address, authenticator, limits and hooks it uses.
     *
     * @param client the client, not {@link UcxClient#raw(boolean)}
     * @return the transport
     */
    public static UcxClientTransport create(UcxClient client) {
        if (Objects.requireNonNull(client, "client").isRaw()) {
            throw new IllegalArgumentException("client " + client + ": raw(true) has no messages, which RSocket needs");
        }
        return new UcxClientTransport(client, TransportSettings.DEFAULT);
    }

    /**
     * Creates a transport with the default settings of a client.
     *
     * @param resources its engines and buffers
     * @param host name or address of the server
     * @param port 1 to 65535
     * @return the transport
     */
    public static UcxClientTransport create(UcxResources resources, String host, int port) {
        return create(UcxClient.create(resources).remoteAddress(host, port));
    }

    /**
     * Limits the frames that RSocket sends, as {@link UcxServerTransport#maxFrameLength(int)} does.
     *
     * @param bytes 64 to 16777215, which is the default
     * @return a changed copy
     */
    public UcxClientTransport maxFrameLength(int bytes) {
        return new UcxClientTransport(client, settings.withMaxFrameLength(bytes));
    }

    /**
     * Limits the bytes of frames that wait, as {@link UcxServerTransport#maxQueuedBytes(long)} does.
     *
     * @param bytes at least 1; 64 MiB by default
     * @return a changed copy
     */
    public UcxClientTransport maxQueuedBytes(long bytes) {
        return new UcxClientTransport(client, settings.withMaxQueuedBytes(bytes));
    }

    /**
     * Sets the allocator from which RSocket takes the memory of the frames that it sends.
     *
     * @param value {@link ByteBufAllocator#DEFAULT} by default
     * @return a changed copy
     */
    public UcxClientTransport allocator(ByteBufAllocator value) {
        return new UcxClientTransport(client, settings.withAllocator(value));
    }

    @Override
    public int maxFrameLength() {
        return settings.maxFrameLength();
    }

    @Override
    public Mono<DuplexConnection> connect() {
        return client.connect(connected ->
                UcxDuplexConnection.start(connected, new FrameRules(true), settings, counters));
    }

    /** {@return the state of all connections that this transport has made} */
    public UcxTransportStatistics statistics() {
        return counters.snapshot();
    }

    @Override
    public String toString() {
        return "UcxClientTransport[" + client + "]";
    }
}
