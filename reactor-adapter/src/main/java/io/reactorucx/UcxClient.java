package io.reactorucx;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.internal.config.AuthenticationConfig;
import io.reactorucx.internal.config.ConnectionConfig;
import io.reactorucx.internal.connect.ConnectingEngine;
import io.reactorucx.internal.connect.EndpointConnector;
import io.reactorucx.internal.connect.Established;
import io.reactorucx.internal.connect.SocketConnector;
import io.reactorucx.message.OverflowPolicy;
import io.reactorucx.security.Authenticator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Connects to a peer. Immutable: each setter gives a changed copy.
 *
 * <p>A connection to a socket address begins with a TCP socket, over which the handshake goes; the data then travels
 * over UCX, and the end of the socket says that the peer has gone. With {@link #raw(boolean)} it is UCX that connects.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the resources are the caller's. <b>Errors:</b> {@link #connect()}
 * ends with an {@link io.reactorucx.core.UcxException} that names the peer and the status.
 */
public final class UcxClient {

    private static final int MAX_PORT = 65535;

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
     * A client without an address yet.
     *
     * @param resources engines and buffers to use
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
     * Where a server listens.
     *
     * @param host name or address; a name is looked up when connecting
     * @param port 1 to 65535
     * @return a changed copy
     */
    public UcxClient remoteAddress(String host, int port) {
        Objects.requireNonNull(host, "host");
        return remoteAddress(InetSocketAddress.createUnresolved(host, checkPort(port, 1)));
    }

    /**
     * Where a server listens.
     *
     * @param address its address
     * @return a changed copy
     */
    public UcxClient remoteAddress(InetSocketAddress address) {
        checkPort(Objects.requireNonNull(address, "address").getPort(), 1);
        return new UcxClient(resources, config, address, null, engine, hooks);
    }

    static int checkPort(int port, int min) {
        if (port < min || port > MAX_PORT) {
            throw new IllegalArgumentException("port " + port + ": must be in " + min + ".." + MAX_PORT);
        }
        return port;
    }

    /**
     * The worker to connect to, without a listener.
     *
     * @param address what {@link UcxResources#workerAddress(int)} gave on the other side. UCX trusts these bytes
     * @return a changed copy
     */
    public UcxClient remoteWorkerAddress(byte[] address) {
        return new UcxClient(resources, config, null, Objects.requireNonNull(address, "address").clone(), engine,
                hooks);
    }

    /**
     * The engine for the connection; one after the other by default.
     *
     * @param number number of the engine, from 0
     * @return a changed copy
     */
    public UcxClient engine(int number) {
        return new UcxClient(resources, config, remoteAddress, workerAddress, resources.checkEngine(number), hooks);
    }

    /**
     * Whether the peer is any program over UCX, without our handshake: plain operations, nothing added.
     *
     * @param value false by default
     * @return a changed copy
     */
    public UcxClient raw(boolean value) {
        return with(config.withRaw(value));
    }

    /**
     * Whether the death of the peer is noticed ({@link ErrorMode#PEER}). Without it more transports can be used, but
     * operations towards a dead peer may never end. Both sides have to agree.
     *
     * @param value true by default
     * @return a changed copy
     */
    public UcxClient peerFailureDetection(boolean value) {
        return with(config.withErrorMode(value ? ErrorMode.PEER : ErrorMode.NONE));
    }

    /**
     * How long connecting may take, the handshake included.
     *
     * @param value at least 1 ms, 10 s by default
     * @return a changed copy
     */
    public UcxClient connectTimeout(Duration value) {
        return with(config.withHandshakeTimeout(value));
    }

    /**
     * How long closing in good order may take before force is used.
     *
     * @param value 5 s by default
     * @return a changed copy
     */
    public UcxClient closeTimeout(Duration value) {
        return with(config.withCloseTimeout(value));
    }

    /**
     * How this side and its peers prove to each other who they are; nothing of a peer is delivered before, tagged
     * messages aside, which any program that UCX lets in can send. A server without the same method is refused.
     * Framework peers only.
     *
     * @param value none by default
     * @return a changed copy
     */
    public UcxClient authenticator(Authenticator value) {
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
    public UcxClient heartbeatInterval(Duration value) {
        return with(config.withProtocol(config.protocol().withHeartbeatInterval(value)));
    }

    /**
     * How many active messages of one id may wait for demand, and what happens to one more.
     *
     * @param messages at least 1, 1024 by default
     * @param bytes most inline data among them, 16 MiB by default
     * @param policy {@link OverflowPolicy#ERROR} by default
     * @return a changed copy
     */
    public UcxClient receiveQueue(int messages, long bytes, OverflowPolicy policy) {
        return with(config.withQueue(config.queue().with(messages, bytes, policy)));
    }

    /**
     * How many rendezvous offers of one id may wait for demand, each with its sender, under
     * {@link OverflowPolicy#HOLD}.
     *
     * @param count at least 1, 1024 by default; what comes beyond is dropped
     * @return a changed copy
     */
    public UcxClient maxHeldOffers(int count) {
        return with(config.withQueue(config.queue().withMaxHeldOffers(count)));
    }

    /**
     * What to do with each new connection before anybody else has it. It is called on the connection's engine and must
     * not block; when it throws, the connection is closed and {@link #connect()} fails.
     *
     * @param action is called after those that were given before
     * @return a changed copy
     */
    public UcxClient doOnConnected(Consumer<? super UcxConnection> action) {
        return with(hooks.andConnected(Objects.requireNonNull(action, "action")));
    }

    /**
     * What to do when a connection is gone, however it ended: {@link UcxConnection#onTerminate()} knows.
     *
     * @param action is called after those that were given before; must not block
     * @return a changed copy
     */
    public UcxClient doOnDisconnected(Consumer<? super UcxConnection> action) {
        return with(hooks.andDisconnected(Objects.requireNonNull(action, "action")));
    }

    /**
     * How far a sender of flow-controlled messages may be ahead of this side's receiver, for each stream.
     *
     * @param messages 1 to 65536, 1024 by default; also how many this side takes from a source ahead of the peer
     * @param bytes most bytes that this side holds, 64 KiB to 1 GiB, 1 MiB by default; messages that stay with their
     * sender do not count
     * @return a changed copy
     */
    public UcxClient messageWindow(int messages, int bytes) {
        return with(config.withMessages(config.messages().withWindow(messages, bytes)));
    }

    /**
     * Largest flow-controlled message that this side takes; a larger one fails with its sender.
     *
     * @param bytes 1 to the largest power of two within {@link UcxResourcesBuilder#maxBufferBytes}; 16 MiB by default,
     * less where the pool is smaller
     * @return a changed copy
     */
    public UcxClient maxMessageBytes(long bytes) {
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
    public UcxClient messageSizes(int rendezvousBytes, int batchBytes) {
        return with(config.withMessages(config.messages().withSizes(rendezvousBytes, batchBytes)));
    }

    /**
     * How many streams the peer may have open at once, beside the one of {@link UcxConnection#inbound()}.
     *
     * @param streams 0 to 65536, 1024 by default
     * @return a changed copy
     */
    public UcxClient maxStreams(int streams) {
        return with(config.withMessages(config.messages().withMaxStreams(streams)));
    }

    /**
     * Connects, anew for each subscriber. A subscriber that leaves at the moment at which it is handed the connection
     * may drop it without a word, as any operator of Reactor then does with a value: it goes to the
     * {@code onNextDropped} hook, which may dispose of it.
     *
     * @return the connection, ready for use; a cancel before gives it up
     */
    public Mono<UcxConnection> connect() {
        return Mono.defer(() -> {
            if (remoteAddress == null && workerAddress == null) {
                return Mono.error(new IllegalStateException(
                        "no address: call remoteAddress or remoteWorkerAddress first"));
            }
            InetSocketAddress address = remoteAddress == null || !remoteAddress.isUnresolved() ? remoteAddress
                    : new InetSocketAddress(remoteAddress.getHostString(), remoteAddress.getPort());
            if (address != null && address.isUnresolved()) {
                return Mono.error(new IllegalArgumentException("remoteAddress " + address
                        + ": the host name has no known address"));
            }
            ConnectingEngine chosen = engine < 0 ? resources.connecting().next()
                    : resources.connecting().engines().get(engine);
            if (address != null && !config.raw()) {
                return given(new SocketConnector(resources.connecting(), chosen, config, address).connect());
            }
            return given(new EndpointConnector(chosen.connections(), config, address, workerAddress).connect());
        });
    }

    private Mono<UcxConnection> given(Mono<Established> connecting) {
        // A cancel may meet a connection that is already established: then it has no owner.
        return connecting.doOnDiscard(Established.class, UcxClient::close).map(this::open).map(hooks::announce);
    }

    private UcxConnection open(Established established) {
        try {
            return new UcxConnection(established, resources);
        } catch (RuntimeException e) {
            // The endpoint has failed in the meantime.
            established.connection().close(CloseMode.FORCE).subscribe();
            throw e;
        }
    }

    private static void close(Established established) {
        established.connection().close(CloseMode.FLUSH).subscribe();
    }

    /**
     * Connections that are made anew when they are lost.
     *
     * @param retry when to try again, how often, and after which errors
     * @return what makes them
     */
    public UcxReconnectingClient reconnect(Retry retry) {
        return UcxReconnectingClient.of(this, retry);
    }

    UcxResources resources() {
        return resources;
    }

    Duration connectTimeout() {
        return config.handshakeTimeout();
    }

    /** What the other side is called, for logs. */
    String peer() {
        return remoteAddress == null ? "worker address of " + (workerAddress == null ? 0 : workerAddress.length)
                + " bytes"
                : remoteAddress.getHostString() + ":" + remoteAddress.getPort();
    }

    /** {@return the connection, waited for as long as connecting may take} */
    public UcxConnection connectNow() {
        return connectNow(config.handshakeTimeout().plusSeconds(1));
    }

    /**
     * Connects and waits.
     *
     * @param timeout longest wait, more than 0
     * @return the connection
     */
    public UcxConnection connectNow(Duration timeout) {
        return Objects.requireNonNull(Blocking.await(connect(), timeout, "connectNow"));
    }
}
