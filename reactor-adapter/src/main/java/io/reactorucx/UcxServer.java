package io.reactorucx;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.UncancelledMono;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.transport.OverflowPolicy;
import io.reactorucx.transport.WiretapFormat;
import io.reactorucx.transport.config.AuthenticationConfig;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.config.Wiretap;
import io.reactorucx.transport.socket.PeerName;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import org.slf4j.event.Level;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Accepts connections at a socket address and, if configured, by worker address. Immutable: each setter returns a
 * changed copy.
 *
 * <p>The handshake with a framework peer goes over a TCP socket at that address, IPv4 or IPv6, before UCX is involved;
 * then the workers connect to each other directly, over the transports that both have. For {@link #raw(boolean)} peers
 * UCX listens.
 *
 * <p>Accepted connections are spread over all engines of the resources.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the caller disposes of the resources. <b>Errors:</b>
 * {@link #bind()} fails with an {@link io.reactorucx.core.error.UcxException} that names the address.
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
            int maxPendingHandshakes, boolean acceptWorkerAddresses, ServerConfig handling) {
        this.resources = resources;
        this.config = config;
        this.bindAddress = bindAddress;
        this.maxPendingHandshakes = maxPendingHandshakes;
        this.acceptWorkerAddresses = acceptWorkerAddresses;
        this.handling = handling;
    }

    /**
     * Creates a server on the loopback address and a port that the system chooses.
     *
     * @param resources its engines and buffers
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
     * Sets the address to listen at.
     *
     * @param host name or address of this host, not blank; {@code 0.0.0.0} for all
     * @param port 0 to 65535, 0 for one that the system chooses
     * @return a changed copy
     */
    public UcxServer bindAddress(String host, int port) {
        PeerName.checkHost(host);
        return bindAddress(new InetSocketAddress(host, PeerName.checkPort(port, 0)));
    }

    /**
     * Sets the address to listen at.
     *
     * @param address an address of this host, whose name is not blank
     * @return a changed copy
     */
    public UcxServer bindAddress(InetSocketAddress address) {
        PeerName.checkHost(Objects.requireNonNull(address, "address").getHostString());
        return new UcxServer(resources, config, address, maxPendingHandshakes, acceptWorkerAddresses, handling);
    }

    /**
     * Sets the handler of accepted connections, in place of one that was set before. It is called on the connection's
     * engine before any message of the client is delivered, so that subscriptions within it miss none; it must not
     * block. An active message that it sends before the client receives its id is dropped at the client: let the client
     * send first.
     *
     * @param connectionHandler returns a publisher, at whose end, success or error, the connection is closed; its error
     * ends the client's {@code inbound().receive()} with the loss of the connection, and is logged here
     * @return a changed copy
     */
    public UcxServer handle(Function<? super UcxConnection, ? extends Publisher<Void>> connectionHandler) {
        return with(handling.withHandler(Objects.requireNonNull(connectionHandler, "connectionHandler")));
    }

    /**
     * Adds an action for each new connection, which runs before the handler. It runs on the connection's engine and
     * must not block; when it throws, the connection is closed.
     *
     * @param action runs after the actions that were added before
     * @return a changed copy
     */
    public UcxServer doOnConnection(Consumer<? super UcxConnection> action) {
        return with(handling.withHooks(handling.hooks().andConnected(Objects.requireNonNull(action, "action"))));
    }

    /**
     * Adds an action for each error of the handler or the responder: a handler's error closes its connection, a
     * responder's goes to the client as well. The loss of the connection is none.
     *
     * @param action runs after the actions that were added before, on the thread of the error; must not block
     * @return a changed copy
     */
    public UcxServer doOnHandlerError(BiConsumer<? super UcxConnection, ? super Throwable> action) {
        return with(handling.withHooks(handling.hooks().andHandlerFailed(Objects.requireNonNull(action, "action"))));
    }

    /**
     * Sets what sees the handlers, responders and sends of the connections; see {@link UcxClient#observe}. A request is
     * handled as a child of the client's trace context, if it carries one.
     *
     * @param observer in place of one that was set before
     * @return a changed copy
     */
    public UcxServer observe(UcxObserver observer) {
        return with(handling.withHooks(handling.hooks().withObserver(Objects.requireNonNull(observer, "observer"))));
    }

    /**
     * Logs what the connections send and receive; see {@link UcxClient#wiretap(String, Level)}.
     *
     * @param category the name of the logger
     * @param level the level of its lines
     * @return a changed copy
     */
    public UcxServer wiretap(String category, Level level) {
        return wiretap(category, level, WiretapFormat.HEX, Wiretap.DEFAULT_BYTES);
    }

    /**
     * Logs what the connections send and receive; see {@link UcxClient#wiretap(String, Level, WiretapFormat, int)}.
     *
     * @param category the name of the logger
     * @param level the level of its lines
     * @param format what is shown of a message
     * @param maxBytes the bytes of each message that are shown, 0 to 65536
     * @return a changed copy
     */
    public UcxServer wiretap(String category, Level level, WiretapFormat format, int maxBytes) {
        return with(config.withWiretap(new Wiretap(category, level, format, maxBytes,
                MemoryFrame::withoutKey)));
    }

    /**
     * Limits the connections at a time. A client beyond is rejected: its {@code connect()} fails with
     * {@link io.reactorucx.core.error.UcxStatus#EXCEEDS_LIMIT}, which is retryable; the connection of a raw client is
     * closed without a reason.
     *
     * @param count at least 1, 2048 by default
     * @return a changed copy
     */
    public UcxServer maxConnections(int count) {
        return with(handling.withMaxConnections(count));
    }

    /**
     * Limits the connections of one client at a time, so that it cannot take all of {@link #maxConnections(int)}. One
     * client is a process of this host, another host, or for IPv6 a network of 64 bits; what lies behind an address
     * translator or a proxy is one client. A client beyond is rejected as with the limit for all.
     *
     * @param count at least 1, half of the limit for all by default; more than that is that
     * @return a changed copy
     */
    public UcxServer maxConnectionsPerClient(int count) {
        return with(handling.withMaxConnectionsPerClient(count));
    }

    /**
     * Sets a handler that only uses flow-controlled messages, as {@link #handle(Function)} does.
     *
     * @param messageHandler returns a publisher, at whose end, success or error, the connection is closed
     * @return a changed copy
     */
    public UcxServer handle(BiFunction<? super UcxInbound, ? super UcxOutbound,
            ? extends Publisher<Void>> messageHandler) {
        Objects.requireNonNull(messageHandler, "messageHandler");
        return handle(connection -> messageHandler.apply(connection.inbound(), connection.outbound()));
    }

    /**
     * Sets what responds to requests, beside the handler if there is one: requests and the messages of
     * {@code inbound()} are streams of their own. Without a handler a connection stays open until a side closes it,
     * or the server stops and no request is in progress; with one, the handler's end closes it, and with it the
     * requests in progress, unless the server is stopping. A handler that calls {@link UcxConnection#respond} as well
     * gets {@link IllegalStateException}.
     *
     * @param responder responds to the requests of all connections, in place of one that was set before
     * @return a changed copy
     */
    public UcxServer respond(UcxResponder responder) {
        return with(handling.withResponder(Objects.requireNonNull(responder, "responder")));
    }

    /**
     * Sets whether framework peers may also connect by the address of one of this side's workers, and send the address
     * of theirs. UCX trusts such addresses, so this is only for networks in which every peer is trusted. One server of
     * the same resources can accept them.
     *
     * @param value false by default
     * @return a changed copy
     */
    public UcxServer acceptWorkerAddresses(boolean value) {
        return new UcxServer(resources, config, bindAddress, maxPendingHandshakes, value, handling);
    }

    /**
     * Sets whether peers are any programs that use UCX, without this library's handshake.
     *
     * @param value false by default
     * @return a changed copy
     */
    public UcxServer raw(boolean value) {
        return with(config.withRaw(value));
    }

    /** {@return whether peers are any programs that use UCX, as {@link #raw(boolean)} sets} */
    public boolean isRaw() {
        return config.raw();
    }

    /**
     * Sets whether UCX detects the death of a peer; see {@link UcxClient#peerFailureDetection(boolean)}.
     *
     * @param value true by default
     * @return a changed copy
     */
    public UcxServer peerFailureDetection(boolean value) {
        return with(config.withErrorMode(value ? ErrorMode.PEER : ErrorMode.NONE));
    }

    /**
     * Refuses connections over other transports; see {@link UcxClient#require(UcxTransportKind...)}.
     *
     * @param kinds none for any, as by default
     * @return a changed copy
     */
    public UcxServer require(UcxTransportKind... kinds) {
        return with(config.withRequirement(kinds));
    }

    /**
     * Limits how long the handshake with a client may take.
     *
     * @param value 1 ms to 1 h, 10 s by default
     * @return a changed copy
     */
    public UcxServer handshakeTimeout(Duration value) {
        return with(config.withHandshakeTimeout(value));
    }

    /**
     * Limits the handshakes in progress at a time: at the limit a new client evicts one that is not authenticated, the
     * oldest of the address (of IPv6 the network of 64 bits) that has the most. As many clients that are admitted make
     * their connections at a time, half of them of one client; the others wait. The queue of the listening socket has
     * the same length. No effect with raw peers.
     *
     * @param value at least 1, 256 by default
     * @return a changed copy
     */
    public UcxServer maxPendingHandshakes(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("maxPendingHandshakes " + value + ": must be at least 1");
        }
        return new UcxServer(resources, config, bindAddress, value, acceptWorkerAddresses, handling);
    }

    /**
     * Limits how long a graceful close of a connection may take; after that it is closed by force.
     *
     * @param value up to 1 h, 5 s by default
     * @return a changed copy
     */
    public UcxServer closeTimeout(Duration value) {
        return with(config.withCloseTimeout(value));
    }

    /**
     * Sets the authenticator by which client and server authenticate each other. Before that nothing of a peer is
     * delivered but tagged messages, which any program that UCX lets in can send. A client without the same method is
     * rejected. Framework peers only.
     *
     * @param value none by default
     * @return a changed copy
     */
    public UcxServer authenticator(Authenticator value) {
        return with(config.withProtocol(config.protocol().withAuthentication(AuthenticationConfig.of(value))));
    }

    /**
     * Secures the control sockets with TLS 1.3: clients are authenticated by certificates ({@link
     * UcxConnection#peerCertificates()}), and clients without TLS are refused. The data goes over UCX and is not
     * encrypted. Framework peers that connect by a socket address only.
     *
     * @param value none by default
     * @return a changed copy
     */
    public UcxServer secure(TlsConfig value) {
        return with(config.withProtocol(config.protocol().withTls(value)));
    }

    /**
     * Sets the heartbeat interval. A side that sends nothing else sends a heartbeat, and a peer from which nothing has
     * come for one and a half intervals is lost, even if its process is alive. The shorter interval of both sides is
     * used. Framework peers only. On a connection by worker address heartbeats wait behind large messages, so the
     * interval has to exceed the time that the largest message takes.
     *
     * @param value 100 ms to 1 h, 10 s by default; zero if this side needs no heartbeat, while the peer's interval is
     * still used
     * @return a changed copy
     */
    public UcxServer heartbeatInterval(Duration value) {
        return with(config.withProtocol(config.protocol().withHeartbeatInterval(value)));
    }

    /**
     * Limits the active messages of one id that wait for demand on a connection, and sets the policy for messages
     * beyond the limits.
     *
     * @param messages the maximum number, at least 1; 1024 by default
     * @param bytes the maximum size of their inline data, at least 1; 16 MiB by default
     * @param policy {@link OverflowPolicy#ERROR} by default
     * @return a changed copy
     */
    public UcxServer receiveQueue(int messages, long bytes, OverflowPolicy policy) {
        return with(config.withQueue(config.queue().with(messages, bytes, policy)));
    }

    /**
     * Limits the rendezvous offers of one id that wait for demand under {@link OverflowPolicy#HOLD}; their data stays
     * with the senders. Offers beyond are dropped.
     *
     * @param count at least 1, 1024 by default
     * @return a changed copy
     */
    public UcxServer maxHeldOffers(int count) {
        return with(config.withQueue(config.queue().withMaxHeldOffers(count)));
    }

    /**
     * Sets the window of flow-controlled messages: how far a sender may be ahead of the receiving subscriber, for each
     * stream.
     *
     * @param messages 1 to 65536, 1024 by default; also the number of messages that this side requests from a source
     * ahead of the peer's demand
     * @param bytes the bytes that the receiving side buffers, 64 KiB to 1 GiB, 1 MiB by default; messages that stay
     * with their sender do not count
     * @return a changed copy
     */
    public UcxServer messageWindow(int messages, int bytes) {
        return with(config.withMessages(config.messages().withWindow(messages, bytes)));
    }

    /**
     * Limits the size of a flow-controlled message that this side accepts; sending a larger one fails at the peer.
     *
     * @param bytes 1 to the largest power of two within {@link UcxResourcesBuilder#maxBufferBytes}; 16 MiB by default,
     * less where the pool is smaller
     * @return a changed copy
     */
    public UcxServer maxMessageBytes(long bytes) {
        return with(config.withMessages(config.messages().withMaxMessageBytes(bytes,
                resources.bufferPool().maxBytes())));
    }

    /**
     * Sets the sizes that decide how flow-controlled messages travel.
     *
     * @param rendezvousBytes larger messages stay with their sender until the receiver fetches them, 0 to 32 KiB, 16
     * KiB by default
     * @param batchBytes the largest batch of small messages, 256 to 32 KiB, 8 KiB by default
     * @return a changed copy
     */
    public UcxServer messageSizes(int rendezvousBytes, int batchBytes) {
        return with(config.withMessages(config.messages().withSizes(rendezvousBytes, batchBytes)));
    }

    /**
     * Limits the streams that the peer may have open at once, beside the one of {@link UcxConnection#inbound()}. Each
     * request in progress is a stream.
     *
     * @param streams 0 to 65536, 1024 by default
     * @return a changed copy
     */
    public UcxServer maxStreams(int streams) {
        return with(config.withMessages(config.messages().withMaxStreams(streams)));
    }

    /**
     * Limits the requests of a connection that wait until the peer takes another one. More of them fail with {@link
     * io.reactorucx.core.error.UcxStatus#EXCEEDS_LIMIT}.
     *
     * @param requests 0 to 1048576, 4096 by default
     * @return a changed copy
     */
    public UcxServer maxWaitingRequests(int requests) {
        return with(config.withMessages(config.messages().withMaxWaitingRequests(requests)));
    }

    /**
     * Lets the peer have the texts of all errors with which this side's responders, and the sources of its requests,
     * fail; without it only those of {@link io.reactorucx.message.UcxRequestException}. Texts may tell of internals.
     *
     * @param value false by default
     * @return a changed copy
     */
    public UcxServer detailedErrors(boolean value) {
        return with(config.withMessages(config.messages().withDetailedErrors(value)));
    }

    /**
     * Starts to listen.
     *
     * @return the bound server; after a cancel it is closed as soon as it is bound
     */
    public Mono<UcxBoundServer> bind() {
        return new UcxBoundServer.Binding(resources, config, bindAddress, maxPendingHandshakes, acceptWorkerAddresses,
                handling).bind();
    }

    /**
     * Starts to listen, and wraps the server: for libraries whose users get an object of another type.
     *
     * @param wrap makes the object; its disposal has to close the server
     * @param <T> type of the object
     * @return the object, disposed of if its subscriber drops it because it has cancelled
     */
    public <T extends Disposable> Mono<T> bind(Function<? super UcxBoundServer, ? extends T> wrap) {
        return UncancelledMono.wrapped(bind(), wrap);
    }

    /** {@return the bound server; waits for at most 10 s} */
    public UcxBoundServer bindNow() {
        return bindNow(Duration.ofSeconds(10));
    }

    /**
     * Starts to listen and waits until the server is bound.
     *
     * @param timeout the longest wait, more than 0
     * @return the bound server
     */
    public UcxBoundServer bindNow(Duration timeout) {
        return Objects.requireNonNull(Blocking.await(bind(), timeout, "bindNow", late -> new UcxException(
                UcxStatus.TIMED_OUT, "bind", null, this + " is not bound within " + timeout, late)));
    }

    @Override
    public String toString() {
        return "UcxServer[" + PeerName.of(bindAddress) + "]";
    }
}
