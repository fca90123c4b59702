package io.reactorucx;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.internal.config.AuthenticationConfig;
import io.reactorucx.internal.config.ConnectionConfig;
import io.reactorucx.internal.connect.EndpointAcceptor;
import io.reactorucx.internal.connect.Established;
import io.reactorucx.internal.connect.HandledConnection;
import io.reactorucx.internal.connect.ServerConnections;
import io.reactorucx.message.OverflowPolicy;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.security.Authenticator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Takes connections at a socket address and, when asked to, by worker address. Immutable: each setter gives a changed
 * copy.
 *
 * <p>Framework peers do their handshake over a TCP socket at that address, IPv4 or IPv6, before UCX hears of them;
 * their workers then reach each other directly, over the transports that both have. For {@link #raw(boolean)} peers it
 * is UCX that listens.
 *
 * <p>Accepted connections are spread over the engines of the resources.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the resources are the caller's. <b>Errors:</b> {@link #bind()}
 * ends with an {@link io.reactorucx.core.UcxException} that names the address.
 */
public final class UcxServer {

    private static final int DEFAULT_PENDING_HANDSHAKES = 256;

    private final UcxResources resources;
    private final ConnectionConfig config;
    private final InetSocketAddress bindAddress;
    private final int maxPendingHandshakes;
    private final boolean acceptWorkerAddresses;
    private final ServerConfig handling;

    private UcxServer(UcxResources resources, ConnectionConfig config, InetSocketAddress bindAddress,
            int maxPendingHandshakes,
            boolean acceptWorkerAddresses, ServerConfig handling) {
        this.resources = resources;
        this.config = config;
        this.bindAddress = bindAddress;
        this.maxPendingHandshakes = maxPendingHandshakes;
        this.acceptWorkerAddresses = acceptWorkerAddresses;
        this.handling = handling;
    }

    /**
     * A server on the loopback address and a port of the system's choice, until told otherwise.
     *
     * @param resources engines and buffers to use
     * @return the server
     */
    public static UcxServer create(UcxResources resources) {
        InetSocketAddress loopback = new InetSocketAddress("127.0.0.1", 0);
        return new UcxServer(Objects.requireNonNull(resources, "resources"), ConnectionConfig.DEFAULT, loopback,
                DEFAULT_PENDING_HANDSHAKES, false, ServerConfig.DEFAULT);
    }

    private UcxServer with(ConnectionConfig changed) {
        return new UcxServer(resources, changed, bindAddress, maxPendingHandshakes, acceptWorkerAddresses, handling);
    }

    private UcxServer with(ServerConfig changed) {
        return new UcxServer(resources, config, bindAddress, maxPendingHandshakes, acceptWorkerAddresses, changed);
    }

    /**
     * Where to listen.
     *
     * @param host name or address of this host, {@code 0.0.0.0} for all
     * @param port 0 to 65535, 0 for one of the system's choice
     * @return a changed copy
     */
    public UcxServer bindAddress(String host, int port) {
        Objects.requireNonNull(host, "host");
        return bindAddress(new InetSocketAddress(host, UcxClient.checkPort(port, 0)));
    }

    /**
     * Where to listen.
     *
     * @param address an address of this host
     * @return a changed copy
     */
    public UcxServer bindAddress(InetSocketAddress address) {
        return new UcxServer(resources, config, Objects.requireNonNull(address, "address"), maxPendingHandshakes,
                acceptWorkerAddresses,
                handling);
    }

    /**
     * What to do with a connection. It is called on the connection's engine before anything that the client sends is
     * delivered, so that what is subscribed there misses nothing; it must not block. What it sends before the client
     * receives that id is dropped there: let the client speak first.
     *
     * @param connectionHandler gives a publisher; when that ends, well or badly, the connection is closed
     * @return a changed copy
     */
    public UcxServer handle(Function<? super UcxConnection, ? extends Publisher<Void>> connectionHandler) {
        return with(handling.withHandler(Objects.requireNonNull(connectionHandler, "connectionHandler")));
    }

    /**
     * What to do with each new connection before its handler is called, in addition to it. It is called on the
     * connection's engine and must not block; when it throws, the connection is closed.
     *
     * @param action is called after those that were given before
     * @return a changed copy
     */
    public UcxServer doOnConnection(Consumer<? super UcxConnection> action) {
        return with(handling.withHooks(handling.hooks().andConnected(Objects.requireNonNull(action, "action"))));
    }

    /**
     * How many connections there may be at a time. A client beyond hears so: its {@code connect()} fails with
     * {@link io.reactorucx.core.UcxStatus#EXCEEDS_LIMIT}, which is retryable; a raw one is only cut off.
     *
     * @param count at least 1, 1024 by default
     * @return a changed copy
     */
    public UcxServer maxConnections(int count) {
        return with(handling.withMaxConnections(count));
    }

    /**
     * As {@link #handle(Function)}, for a handler that needs nothing but the flow-controlled messages.
     *
     * @param messageHandler gives a publisher; when that ends, well or badly, the connection is closed
     * @return a changed copy
     */
    public UcxServer handle(BiFunction<? super UcxInbound, ? super UcxOutbound,
            ? extends Publisher<Void>> messageHandler) {
        Objects.requireNonNull(messageHandler, "messageHandler");
        return handle(connection -> messageHandler.apply(connection.inbound(), connection.outbound()));
    }

    /**
     * As {@link #handle(Function)}, for a server that does nothing but answer requests.
     *
     * @param responder answers the requests of all connections
     * @return a changed copy
     */
    public UcxServer respond(UcxResponder responder) {
        Objects.requireNonNull(responder, "responder");
        return handle(connection -> connection.respond(responder));
    }

    /**
     * Whether framework peers may also connect by the address of one of this side's workers, which sends this side the
     * address of theirs. UCX trusts such addresses: only where every peer is trusted. One server of the same resources
     * can do so.
     *
     * @param value false by default
     * @return a changed copy
     */
    public UcxServer acceptWorkerAddresses(boolean value) {
        return new UcxServer(resources, config, bindAddress, maxPendingHandshakes, value, handling);
    }

    /**
     * Whether peers are any program over UCX, without our handshake.
     *
     * @param value false by default
     * @return a changed copy
     */
    public UcxServer raw(boolean value) {
        return with(config.withRaw(value));
    }

    /**
     * Whether the death of a peer is noticed; see {@link UcxClient#peerFailureDetection(boolean)}.
     *
     * @param value true by default
     * @return a changed copy
     */
    public UcxServer peerFailureDetection(boolean value) {
        return with(config.withErrorMode(value ? ErrorMode.PEER : ErrorMode.NONE));
    }

    /**
     * How long a client may take to say HELLO.
     *
     * @param value at least 1 ms, 10 s by default
     * @return a changed copy
     */
    public UcxServer handshakeTimeout(Duration value) {
        return with(config.withHandshakeTimeout(value));
    }

    /**
     * How many clients may be in the handshake at a time. More wait in the system's queue, which is as long; when none
     * is through and one of them has said nothing so far, the oldest of these gives way. For raw peers this has no
     * meaning.
     *
     * @param value at least 1, 256 by default
     * @return a changed copy
     */
    public UcxServer maxPendingHandshakes(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("maxPendingHandshakes " + value + ": at least 1");
        }
        return new UcxServer(resources, config, bindAddress, value, acceptWorkerAddresses, handling);
    }

    /**
     * How long closing a connection in good order may take before force is used.
     *
     * @param value 5 s by default
     * @return a changed copy
     */
    public UcxServer closeTimeout(Duration value) {
        return with(config.withCloseTimeout(value));
    }

    /**
     * How this side and its peers prove to each other who they are; nothing of a peer is delivered before, tagged
     * messages aside, which any program that UCX lets in can send. A client without the same method is refused.
     * Framework peers only.
     *
     * @param value none by default
     * @return a changed copy
     */
    public UcxServer authenticator(Authenticator value) {
        return with(config.withProtocol(config.protocol().withAuthentication(AuthenticationConfig.of(value))));
    }

    /**
     * How often the sides of a connection hear of each other at least: when nothing else is sent, a heartbeat is. A
     * peer from which nothing came for one and a half of these intervals is lost, though its process may be there. Of
     * two sides' intervals the shorter one is used. Framework peers only. By worker address signs of life wait behind a
     * large message: what the largest takes has to be less.
     *
     * @param value 10 s by default, at least 100 ms; zero if this side does not need it, then the peer may still
     * @return a changed copy
     */
    public UcxServer heartbeatInterval(Duration value) {
        return with(config.withProtocol(config.protocol().withHeartbeatInterval(value)));
    }

    /**
     * How many active messages of one id may wait for demand on a connection, and what happens to one more.
     *
     * @param messages at least 1, 1024 by default
     * @param bytes most inline data among them, 16 MiB by default
     * @param policy {@link OverflowPolicy#ERROR} by default
     * @return a changed copy
     */
    public UcxServer receiveQueue(int messages, long bytes, OverflowPolicy policy) {
        return with(config.withQueue(config.queue().with(messages, bytes, policy)));
    }

    /**
     * How many rendezvous offers of one id may wait for demand, each with its sender, under
     * {@link OverflowPolicy#HOLD}.
     *
     * @param count at least 1, 1024 by default; what comes beyond is dropped
     * @return a changed copy
     */
    public UcxServer maxHeldOffers(int count) {
        return with(config.withQueue(config.queue().withMaxHeldOffers(count)));
    }

    /**
     * How far a sender of flow-controlled messages may be ahead of this side's receiver, for each stream.
     *
     * @param messages 1 to 65536, 1024 by default; also how many this side takes from a source ahead of the peer
     * @param bytes most bytes that this side holds, 64 KiB to 1 GiB, 1 MiB by default; messages that stay with their
     * sender do not count
     * @return a changed copy
     */
    public UcxServer messageWindow(int messages, int bytes) {
        return with(config.withMessages(config.messages().withWindow(messages, bytes)));
    }

    /**
     * Largest flow-controlled message that this side takes; a larger one fails with its sender.
     *
     * @param bytes 1 to the largest power of two within {@link UcxResourcesBuilder#maxBufferBytes}; 16 MiB by default,
     * less where the pool is smaller
     * @return a changed copy
     */
    public UcxServer maxMessageBytes(long bytes) {
        return with(config.withMessages(config.messages().withMaxMessageBytes(bytes, resources.buffers().maxBytes())));
    }

    /**
     * How flow-controlled messages travel.
     *
     * @param rendezvousBytes larger messages stay with their sender until they are fetched, 0 to 32 KiB, 16 KiB by
     * default
     * @param batchBytes up to how many bytes of small ones travel together, 256 to 32 KiB, 8 KiB by default
     * @return a changed copy
     */
    public UcxServer messageSizes(int rendezvousBytes, int batchBytes) {
        return with(config.withMessages(config.messages().withSizes(rendezvousBytes, batchBytes)));
    }

    /**
     * How many streams the peer may have open at once, beside the one of {@link UcxConnection#inbound()}.
     *
     * @param streams 0 to 65536, 1024 by default
     * @return a changed copy
     */
    public UcxServer maxStreams(int streams) {
        return with(config.withMessages(config.messages().withMaxStreams(streams)));
    }

    /**
     * Begins to listen.
     *
     * @return the bound server
     */
    public Mono<UcxBoundServer> bind() {
        return Mono.defer(() -> {
            if (bindAddress.isUnresolved()) {
                return Mono.error(new IllegalArgumentException("bindAddress " + bindAddress
                        + ": the host name has no known address"));
            }
            ServerConnections connections = new ServerConnections(handling.maxConnections(), this::handle,
                    resources.counters()::rejected);
            EndpointAcceptor acceptor = new EndpointAcceptor(resources.connecting(), config, maxPendingHandshakes,
                    acceptWorkerAddresses, connections);
            return acceptor.bind(bindAddress).map(listener -> new UcxBoundServer(acceptor, listener))
                    .doOnNext(resources::add);
        });
    }

    private HandledConnection handle(Established established) {
        UcxConnection accepted = new UcxConnection(established, resources);
        return new HandledConnection(Mono.defer(() -> {
            handling.hooks().announce(accepted);
            return Mono.from(handling.handler().apply(accepted));
        }), accepted::windUp);
    }

    /** {@return the bound server, waited for at most 10 s} */
    public UcxBoundServer bindNow() {
        return bindNow(Duration.ofSeconds(10));
    }

    /**
     * Begins to listen and waits.
     *
     * @param timeout longest wait, more than 0
     * @return the bound server
     */
    public UcxBoundServer bindNow(Duration timeout) {
        return Objects.requireNonNull(Blocking.await(bind(), timeout, "bindNow"));
    }
}
