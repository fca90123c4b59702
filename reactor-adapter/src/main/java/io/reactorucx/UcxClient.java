package io.reactorucx;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.UncancelledMono;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.resources.ConnectMono;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.transport.OverflowPolicy;
import io.reactorucx.transport.WiretapFormat;
import io.reactorucx.transport.config.AuthenticationConfig;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.config.DeviceNeed;
import io.reactorucx.transport.config.Wiretap;
import io.reactorucx.transport.connect.AddressConnector;
import io.reactorucx.transport.connect.ConnectingEngine;
import io.reactorucx.transport.connect.EndpointConnector;
import io.reactorucx.transport.connect.EngineResources;
import io.reactorucx.transport.connect.Established;
import io.reactorucx.transport.socket.PeerName;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Connects to a peer. Immutable: each setter returns a changed copy.
 *
 * <p>A connection to a socket address begins with a handshake over a TCP socket. The data travels over UCX; the socket
 * stays open, and its end tells that the peer is gone. With {@link #raw(boolean)} there is no such socket, and UCX
 * connects.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the caller disposes of the resources. <b>Errors:</b>
 * {@link #connect()} fails with an {@link io.reactorucx.core.error.UcxException} that names the peer and the status. It
 * is retryable ({@link io.reactorucx.core.error.UcxException#isRetryable()}) when the server may be there later: the
 * name has no address, nothing listens, no answer comes, or the server is busy. A rejection ({@link
 * UcxStatus#REJECTED}) by the authenticator, or because the versions or settings of both sides do not fit, is
 * permanent.
 */
public final class UcxClient {

    private final UcxResources resources;
    private final ConnectionConfig config;
    private final @Nullable InetSocketAddress remoteAddress;
    private final byte @Nullable [] workerAddress;
    private final int engine;
    private final ConnectionHooks hooks;

    private UcxClient(UcxResources resources, ConnectionConfig config, @Nullable InetSocketAddress remoteAddress,
            byte @Nullable [] workerAddress, int engine, ConnectionHooks hooks) {
        this.resources = resources;
        this.config = config;
        this.remoteAddress = remoteAddress;
        this.workerAddress = workerAddress;
        this.engine = engine;
        this.hooks = hooks;
    }

    /**
     * Creates a client that has no address yet.
     *
     * @param resources its engines and buffers
     * @return the client
     */
    public static UcxClient create(UcxResources resources) {
        return new UcxClient(Objects.requireNonNull(resources, "resources"), ConnectionConfig.DEFAULT, null, null, -1,
                ConnectionHooks.NONE);
    }

    private UcxClient with(ConnectionConfig changed) {
        return new UcxClient(resources, changed, remoteAddress, workerAddress, engine, hooks);
    }

    private UcxClient with(ConnectionHooks changed) {
        return new UcxClient(resources, config, remoteAddress, workerAddress, engine, changed);
    }

    /**
     * Sets the address of the server.
     *
     * @param host name or address, not blank; a name is resolved when connecting, and its addresses are tried in turn
     * until one connects
     * @param port 1 to 65535
     * @return a changed copy
     */
    public UcxClient remoteAddress(String host, int port) {
        PeerName.checkHost(host);
        return remoteAddress(InetSocketAddress.createUnresolved(host, PeerName.checkPort(port, 1)));
    }

    /**
     * Sets the address of the server.
     *
     * @param address its address, whose name is not blank; a name that is not resolved is resolved when connecting
     * @return a changed copy
     */
    public UcxClient remoteAddress(InetSocketAddress address) {
        PeerName.checkHost(Objects.requireNonNull(address, "address").getHostString());
        PeerName.checkPort(address.getPort(), 1);
        return new UcxClient(resources, config, address, null, engine, hooks);
    }

    /**
     * Sets the worker to connect to, without a listener.
     *
     * @param address the result of {@link UcxResources#workerAddress(int)} on the other side. UCX trusts these bytes
     * @return a changed copy
     */
    public UcxClient remoteWorkerAddress(byte[] address) {
        return new UcxClient(resources, config, null, Objects.requireNonNull(address, "address").clone(), engine,
                hooks);
    }

    /**
     * Sets the engine for the connections; by default they are spread over all engines.
     *
     * @param number index of the engine, from 0
     * @return a changed copy
     */
    public UcxClient engine(int number) {
        return new UcxClient(resources, config, remoteAddress, workerAddress, resources.checkEngine(number), hooks);
    }

    /**
     * Sets whether the peer is any program that uses UCX, without this library's handshake: plain operations of UCX,
     * nothing is added to them.
     *
     * @param value false by default
     * @return a changed copy
     */
    public UcxClient raw(boolean value) {
        return with(config.withRaw(value));
    }

    /** {@return whether the peer is any program that uses UCX, as {@link #raw(boolean)} sets} */
    public boolean isRaw() {
        return config.raw();
    }

    /**
     * Sets whether UCX detects the death of the peer ({@link ErrorMode#PEER}). Without detection UCX has more
     * transports to choose from, but operations with a dead peer may never complete. Both sides need the same setting.
     *
     * @param value true by default
     * @return a changed copy
     */
    public UcxClient peerFailureDetection(boolean value) {
        return with(config.withErrorMode(value ? ErrorMode.PEER : ErrorMode.NONE));
    }

    /**
     * Requires transports: UCX may take others than the best one without a word. Where any of the data could go over
     * another kind, from this side or the server, or where UCX does not tell, no application sees the connection, and
     * {@link #connect()} fails with a permanent error that says why: {@link UcxStatus#UNSUPPORTED}, or {@link
     * UcxStatus#REJECTED} where the server has found it out. This chooses nothing, which is for {@link
     * UcxResourcesBuilder#transports(String...)}. The handshake still has its socket, which carries no data.
     *
     * @param kinds the kinds that are allowed, {@link UcxTransportKind#RDMA} for example; none for any, as by default
     * @return a changed copy
     */
    public UcxClient require(UcxTransportKind... kinds) {
        return with(config.withRequirement(kinds));
    }

    /**
     * Limits how long connecting may take, including the handshake. The addresses of a host name share the time: each
     * attempt gets an equal part of what is left.
     *
     * @param value 1 ms to 1 h, 10 s by default
     * @return a changed copy
     */
    public UcxClient connectTimeout(Duration value) {
        return with(config.withHandshakeTimeout(value));
    }

    /**
     * Limits how long a graceful close may take; after that the connection is closed by force.
     *
     * @param value up to 1 h, 5 s by default
     * @return a changed copy
     */
    public UcxClient closeTimeout(Duration value) {
        return with(config.withCloseTimeout(value));
    }

    /**
     * Sets the authenticator by which client and server authenticate each other. Before that nothing of a peer is
     * delivered but tagged messages, which any program that UCX lets in can send. A server without the same method is
     * rejected. Framework peers only.
     *
     * @param value none by default
     * @return a changed copy
     */
    public UcxClient authenticator(Authenticator value) {
        return with(config.withProtocol(config.protocol().withAuthentication(AuthenticationConfig.of(value))));
    }

    /**
     * Secures the control sockets with TLS 1.3, as {@link UcxServer#secure(TlsConfig)}: a server without TLS is
     * refused, and, with a retryable error, one whose certificate is not trusted, or has another name.
     *
     * @param value none by default
     * @return a changed copy
     */
    public UcxClient secure(TlsConfig value) {
        return with(config.withProtocol(config.protocol().withTls(value)));
    }

    /**
     * Sets the heartbeat interval; see {@link UcxServer#heartbeatInterval(Duration)}.
     *
     * @param value 100 ms to 1 h, 10 s by default; zero if this side needs no heartbeat, while the peer's interval is
     * still used
     * @return a changed copy
     */
    public UcxClient heartbeatInterval(Duration value) {
        return with(config.withProtocol(config.protocol().withHeartbeatInterval(value)));
    }

    /**
     * Limits the active messages of one id that wait for demand, and sets the policy for messages beyond the limits.
     *
     * @param messages the maximum number, at least 1; 1024 by default
     * @param bytes the maximum size of their inline data, at least 1; 16 MiB by default
     * @param policy {@link OverflowPolicy#ERROR} by default
     * @return a changed copy
     */
    public UcxClient receiveQueue(int messages, long bytes, OverflowPolicy policy) {
        return with(config.withQueue(config.queue().with(messages, bytes, policy)));
    }

    /**
     * Limits the rendezvous offers of one id that wait for demand under {@link OverflowPolicy#HOLD}; their data stays
     * with the senders. Offers beyond are dropped.
     *
     * @param count at least 1, 1024 by default
     * @return a changed copy
     */
    public UcxClient maxHeldOffers(int count) {
        return with(config.withQueue(config.queue().withMaxHeldOffers(count)));
    }

    /**
     * Adds an action for each new connection, which runs before the subscriber gets the connection. It runs on the
     * connection's engine and must not block; when it throws, the connection is closed and {@link #connect()} fails.
     *
     * @param action runs after the actions that were added before
     * @return a changed copy
     */
    public UcxClient doOnConnected(Consumer<? super UcxConnection> action) {
        return with(hooks.andConnected(Objects.requireNonNull(action, "action")));
    }

    /**
     * Adds an action for each connection that has ended; {@link UcxConnection#onTerminate()} tells how.
     *
     * @param action runs after the actions that were added before; must not block
     * @return a changed copy
     */
    public UcxClient doOnDisconnected(Consumer<? super UcxConnection> action) {
        return with(hooks.andDisconnected(Objects.requireNonNull(action, "action")));
    }

    /**
     * Adds an action for each error of a responder ({@link UcxConnection#respond}): the peer gets the error as well.
     * The loss of the connection is none.
     *
     * @param action runs after the actions that were added before, on the thread of the error; must not block
     * @return a changed copy
     */
    public UcxClient doOnHandlerError(BiConsumer<? super UcxConnection, ? super Throwable> action) {
        return with(hooks.andHandlerFailed(Objects.requireNonNull(action, "action")));
    }

    /**
     * Sets what sees the requests, sends and responders of the connections, such as
     * {@link io.reactorucx.observation.UcxObservations} for Micrometer. Requests carry its trace context. Without an
     * observer nothing of this is done.
     *
     * @param observer in place of one that was set before
     * @return a changed copy
     */
    public UcxClient observe(UcxObserver observer) {
        return with(hooks.withObserver(Objects.requireNonNull(observer, "observer")));
    }

    /**
     * Logs what the connections send and receive, as {@link #wiretap(String, Level, WiretapFormat, int)} with
     * {@link WiretapFormat#HEX} and 256 bytes of each message.
     *
     * @param category the name of the logger
     * @param level the level of its lines
     * @return a changed copy
     */
    public UcxClient wiretap(String category, Level level) {
        return wiretap(category, level, WiretapFormat.HEX, Wiretap.DEFAULT_BYTES);
    }

    /**
     * Logs what the connections send and receive: messages, requests and active messages of framework peers, accesses
     * to served memory, and the names of control frames, as they travel. Secrets of the handshake are not shown. Tagged
     * messages, byte streams, raw peers and UCX's own remote memory are not logged.
     *
     * @param category the name of the logger
     * @param level the level of its lines
     * @param format what is shown of a message
     * @param maxBytes the bytes of each message that are shown, 0 to 65536
     * @return a changed copy
     */
    public UcxClient wiretap(String category, Level level, WiretapFormat format, int maxBytes) {
        return with(config.withWiretap(new Wiretap(category, level, format, maxBytes,
                MemoryFrame::withoutKey)));
    }

    /**
     * Sets the window of flow-controlled messages; see {@link UcxServer#messageWindow(int, int)}.
     *
     * @param messages 1 to 65536, 1024 by default
     * @param bytes the bytes that the receiving side buffers, 64 KiB to 1 GiB, 1 MiB by default
     * @return a changed copy
     */
    public UcxClient messageWindow(int messages, int bytes) {
        return with(config.withMessages(config.messages().withWindow(messages, bytes)));
    }

    /**
     * Limits the size of a flow-controlled message that this side accepts; sending a larger one fails at the peer.
     *
     * @param bytes 1 to the largest power of two within {@link UcxResourcesBuilder#maxBufferBytes}; 16 MiB by default,
     * less where the pool is smaller
     * @return a changed copy
     */
    public UcxClient maxMessageBytes(long bytes) {
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
    public UcxClient messageSizes(int rendezvousBytes, int batchBytes) {
        return with(config.withMessages(config.messages().withSizes(rendezvousBytes, batchBytes)));
    }

    /**
     * Limits the streams that the peer may have open at once, beside the one of {@link UcxConnection#inbound()}. Each
     * request in progress is a stream.
     *
     * @param streams 0 to 65536, 1024 by default
     * @return a changed copy
     */
    public UcxClient maxStreams(int streams) {
        return with(config.withMessages(config.messages().withMaxStreams(streams)));
    }

    /**
     * Limits the requests that wait until the peer takes another one; more fail with {@link UcxStatus#EXCEEDS_LIMIT}.
     *
     * @param requests 0 to 1048576, 4096 by default
     * @return a changed copy
     */
    public UcxClient maxWaitingRequests(int requests) {
        return with(config.withMessages(config.messages().withMaxWaitingRequests(requests)));
    }

    /**
     * Lets the peer have the texts of all errors; see {@link UcxServer#detailedErrors(boolean)}.
     *
     * @param value false by default
     * @return a changed copy
     */
    public UcxClient detailedErrors(boolean value) {
        return with(config.withMessages(config.messages().withDetailedErrors(value)));
    }

    /**
     * Connects, for each subscriber anew. A connection is closed when its subscriber cancels at the moment it gets the
     * connection, and drops it, as Reactor's operators do with a value. An operator that hands it to another thread
     * ({@code publishOn}, {@code delayElement}) drops it without a word: there use {@link Mono#usingWhen}.
     *
     * @return the connection, ready for use; a cancel aborts connecting
     */
    public Mono<UcxConnection> connect() {
        return Mono.defer(() -> {
            if (remoteAddress == null && workerAddress == null) {
                return Mono.error(new IllegalStateException(
                        "no address: call remoteAddress or remoteWorkerAddress first"));
            }
            config.checkSecured(workerAddress != null);
            InetSocketAddress address = remoteAddress;
            return opened(ConnectMono.of(() -> {
                if (address != null) {
                    return new AddressConnector(this::reaching, this::chosen, config, address);
                }
                EngineResources engines = resources.anyEngines();
                return new EndpointConnector(engines, chosen(engines), config, null, workerAddress);
            }));
        });
    }

    /**
     * Connects, and wraps the connection: for libraries whose users get an object of another type.
     *
     * @param wrap makes the object, on the engine's thread; its disposal has to close the connection
     * @param <T> type of the object
     * @return the object, disposed of if its subscriber drops it because it has cancelled, as {@link #connect()} does
     */
    public <T extends Disposable> Mono<T> connect(Function<? super UcxConnection, ? extends T> wrap) {
        return UncancelledMono.wrapped(connect(), wrap);
    }

    private CompletableFuture<EngineResources> reaching(InetSocketAddress address) {
        return resources.reaching(DeviceNeed.ofClient(address, config.raw() || resources.usesTcpWithinHost()));
    }

    private ConnectingEngine chosen(EngineResources engines) {
        return engine < 0 ? engines.next() : engines.engines().get(engine);
    }

    private Mono<UcxConnection> opened(Mono<Established> connecting) {
        // A cancel may race with the end of the handshake: a connection without a subscriber is closed.
        return new UncancelledMono<>(connecting.doOnDiscard(Established.class, Established::giveBack)
                .map(established -> new UcxConnection(established, resources, hooks)).map(hooks::announce),
                UcxConnection::dispose);
    }

    /**
     * Returns a client whose connections are replaced when they are lost. Permanent errors end it and are no matter of
     * the {@link Retry}: {@link UcxStatus#REJECTED}, by which a framework peer fails the authentication or does not fit
     * to this side; {@link UcxStatus#UNSUPPORTED}, when the network devices of the resources do not reach the server,
     * or the way there is not what is {@link #require required}; and the end of the resources or of their engine.
     *
     * @param retry decides when to retry, how often, and after which other errors
     * @return the reconnecting client
     */
    public UcxReconnectingClient reconnect(Retry retry) {
        return UcxReconnectingClient.of(this, retry);
    }

    UcxResources resources() {
        return resources;
    }

    /** Returns whether another attempt to connect is bound to fail like this one. */
    boolean isPermanent(Throwable error) {
        // Without the handshake a rejection may just say that nothing listens now.
        return error instanceof UcxException failure && failure.operation().equals("connect")
                && (failure instanceof UcxClosedException || failure.status() == UcxStatus.UNSUPPORTED
                || failure.status() == UcxStatus.REJECTED && !config.raw());
    }

    Duration connectTimeout() {
        return config.handshakeTimeout();
    }

    /** Returns the name of the peer, for logs. */
    String peer() {
        return remoteAddress != null ? PeerName.of(remoteAddress.getHostString(), remoteAddress.getPort())
                : workerAddress != null ? PeerName.ofWorker(workerAddress) : "no address";
    }

    /** {@return the connection; waits for it for {@link #connectTimeout(Duration)} and a second} */
    public UcxConnection connectNow() {
        return connectNow(config.handshakeTimeout().plusSeconds(1));
    }

    /**
     * Connects and waits for the connection.
     *
     * @param timeout the longest wait, more than 0
     * @return the connection
     */
    public UcxConnection connectNow(Duration timeout) {
        return Objects.requireNonNull(Blocking.await(connect(), timeout, "connectNow", late ->
                new UcxException(UcxStatus.TIMED_OUT, "connect", peer(), "no connection within " + timeout, late)));
    }

    @Override
    public String toString() {
        return "UcxClient[" + peer() + "]";
    }
}
