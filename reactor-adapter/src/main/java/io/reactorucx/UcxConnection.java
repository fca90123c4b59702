package io.reactorucx;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.concurrent.EndMono;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.memory.FlushOperation;
import io.reactorucx.internal.memory.MemoryAccessFactory;
import io.reactorucx.internal.memory.MemoryProtocol;
import io.reactorucx.internal.memory.OneSidedAccess;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.request.ResponderDispatcher;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.security.PeerCertificates;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.command.EngineExecutor;
import io.reactorucx.transport.connect.Established;
import io.reactorucx.transport.connect.ServerConnections;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ConnectionPhase;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.PeerInfo;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A connection to a peer. It stays on one engine; signals of its operations come on that engine's thread.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the application closes it once; {@link #onDispose()}
 * completes when it has ended, whichever side has closed it. <b>Errors:</b> when the peer is lost, every pending
 * operation fails with an
 * {@link io.reactorucx.core.error.UcxException} that names the peer and the status; later ones fail with
 * {@link io.reactorucx.core.error.UcxClosedException}.
 */
public final class UcxConnection implements Disposable {

    private final ConnectionCore core;
    private final Established established;
    private final UcxResources resources;
    private final @Nullable UcxVersion peerVersion;
    private final int maxHeaderBytes;
    private final ActiveMessages activeMessages;
    private final Tags tags;
    private final ByteStream streams;
    private final Scheduler scheduler;
    private final ConnectionHooks hooks;
    private final Sinks.Empty<Void> closing = Sinks.empty();
    private volatile boolean windingUp;

    UcxConnection(Established established, UcxResources resources, ConnectionHooks hooks) {
        PeerInfo peer = established.peer();
        this.core = established.connection();
        this.established = established;
        this.resources = resources;
        this.hooks = hooks;
        this.peerVersion = peer == null ? null : peer.ucxVersion();
        this.maxHeaderBytes = core.maxHeaderBytes();
        this.activeMessages = new ActiveMessages(core);
        this.tags = new Tags(core, resources.bufferPool());
        this.streams = new ByteStream(core, resources.bufferPool());
        this.scheduler = Schedulers.fromExecutor(new EngineExecutor(core.engine()));
    }

    /**
     * {@return the messages that the peer sends through its {@link #outbound()}; framework peers only}
     */
    public UcxInbound inbound() {
        return new UcxInbound(messages().streams().defaultStream());
    }

    /**
     * {@return the sender of messages to the peer's {@link #inbound()}, at the pace of the subscriber there; framework
     * peers only}
     */
    public UcxOutbound outbound() {
        return new UcxOutbound(messages().streams().defaultStream(), core.peer(), hooks.observer());
    }

    /**
     * {@return the sender of requests to the peer, which has to {@link #respond}; framework peers only}
     */
    public UcxRequester requester() {
        return new UcxRequester(messages(), 0, hooks.observer());
    }

    /**
     * Responds to requests of the peer; requests that come before the subscription are rejected.
     *
     * @param responder responds to each request
     * @return completes when the server stops, which rejects further requests, and no request is in progress any
     *     more; a cancel rejects further requests; fails with {@link IllegalStateException} when this connection has a
     *     responder already
     */
    public Mono<Void> respond(UcxResponder responder) {
        return ResponderDispatcher.mono(messages(), Objects.requireNonNull(responder, "responder"), hooks.observer(),
                error -> {
                    if (!ServerConnections.isEndOfConnection(error)) {
                        hooks.runHandlerFailed(this, error);
                    }
                });
    }

    /** Returns the multiplexer of message streams, which a connection to a raw peer does not have. */
    MessageProtocol messages() {
        MessageProtocol messages = core.protocol(MessageProtocol.class);
        if (messages == null) {
            throw new UcxUnsupportedException("messages",
                    "a raw peer does not speak this library's protocol, use active messages");
        }
        return messages;
    }

    /** {@return the active messages of this connection} */
    public ActiveMessages activeMessages() {
        return activeMessages;
    }

    /** {@return the tagged messages of this connection} */
    public Tags tags() {
        return tags;
    }

    /** {@return the byte stream; both sides need {@link UcxResourcesBuilder#streams(boolean)}} */
    public ByteStream streams() {
        return streams;
    }

    /**
     * Returns memory of the peer, for {@code ucp_put/get}. Both sides need
     * {@link UcxResourcesBuilder#remoteMemoryAccess(boolean)}.
     *
     * @param descriptor the descriptor that the peer has sent
     * @return the memory
     */
    public RemoteMemory memory(MemoryDescriptor descriptor) {
        Objects.requireNonNull(descriptor, "descriptor");
        return new RemoteMemory(core, new OneSidedAccess(core, descriptor, resources.bufferPool()),
                descriptor.length());
    }

    /** {@return a window of the peer, as {@link #memory(WindowDescriptor, MemoryPath)} with {@link MemoryPath#AUTO}} */
    public RemoteMemory memory(WindowDescriptor descriptor) {
        return memory(descriptor, MemoryPath.AUTO);
    }

    /**
     * Returns a window of memory that a framework peer has exported.
     *
     * @param descriptor the descriptor that the peer has sent
     * @param path how to reach the memory; {@link UcxUnsupportedException} when that path does not exist
     * @return the memory
     */
    public RemoteMemory memory(WindowDescriptor descriptor, MemoryPath path) {
        return new RemoteMemory(core, new MemoryAccessFactory(core, resources.context(), resources.bufferPool())
                .to(descriptor, path),
                descriptor.length());
    }

    /**
     * Exports memory as {@link UcxResources#exportMemory(MemorySegment, Set)} does, but to the peer of this connection
     * only: the descriptor is useless to other peers, and the window ends with the connection.
     *
     * @param segment native memory, alive until the window is revoked
     * @param rights what the peer may do
     * @return the window
     */
    public UcxMemoryWindow exportMemory(MemorySegment segment, Set<MemoryRight> rights) {
        return revokedAtEnd(resources.windows().export(segment, rights, core));
    }

    /**
     * Exports registered memory to the peer of this connection only, as {@link #exportMemory(MemorySegment, Set)} does.
     *
     * @param memory registered memory, open until the window is revoked
     * @param rights what the peer may do
     * @return the window
     */
    public UcxMemoryWindow exportMemory(UcpMemory memory, Set<MemoryRight> rights) {
        return revokedAtEnd(resources.windows().export(memory, rights, core));
    }

    private UcxMemoryWindow revokedAtEnd(UcxMemoryWindow window) {
        EndSignal.Listener revocation = core.end().listen(window::dispose);
        window.onDispose().subscribe(ignored -> { }, error -> revocation.remove(), revocation::remove);
        return window;
    }

    /** {@return completes when all earlier puts are visible to the peer} */
    public Mono<Void> flush() {
        return FlushOperation.mono(core);
    }

    /**
     * Orders puts, gets and atomics of this connection: those that are subscribed to later take effect after earlier
     * ones.
     *
     * @return completes without waiting for any of them
     */
    public Mono<Void> fence() {
        return EngineCall.mono(core.engine(), worker -> {
            core.endpointFor(OperationKind.FLUSH);
            worker.fence();
            MemoryProtocol memory = core.protocol(MemoryProtocol.class);
            if (memory != null) {
                memory.client().fence();
            }
            return true;
        }).then();
    }

    /** {@return an id that no other connection of this process has, with which its lines in the log begin} */
    public String id() {
        return core.id();
    }

    String logName() {
        return core.name();
    }

    /** {@return the name of the peer, for logs} */
    public String peer() {
        return core.peer();
    }

    /**
     * {@return whether what this connection carries is encrypted ({@link io.reactorucx.security.EncryptionConfig}): its
     * messages, requests, active messages and served memory}
     */
    public boolean isEncrypted() {
        return core.carrier().isEncrypted();
    }

    /**
     * {@return the certificates by which TLS has authenticated the peer ({@link UcxServer#secure(TlsConfig)}); empty
     * without TLS, and for a client that has none}
     */
    public Optional<PeerCertificates> peerCertificates() {
        return Optional.ofNullable(core.identity()).map(ConnectionIdentity::peerCertificates);
    }

    /** {@return the transports that UCX has chosen, each as {@code transport/device}} */
    public List<String> transports() {
        return core.transports();
    }

    /**
     * {@return why this connection does not go over a kind of transports, as far as this side knows, in a text for
     * people; empty where it does}
     *
     * @param kind one that would be better than what {@link #transports()} says
     */
    public Optional<String> whyNot(UcxTransportKind kind) {
        return established.whyNot(Objects.requireNonNull(kind, "kind"));
    }

    /**
     * {@return where UCX of this side may connect to the peer by tcp, as the address of the peer's worker says; empty
     * for a raw peer, and where the address names none that this side's devices reach}
     */
    public List<InetSocketAddress> peerTcpAddresses() {
        return established.tcpAddresses();
    }

    /** {@return the version of UCX on the other side, empty for a raw peer} */
    public Optional<UcxVersion> peerVersion() {
        return Optional.ofNullable(peerVersion);
    }

    /** {@return the error mode, which decides whether UCX detects the death of the peer} */
    public ErrorMode errorMode() {
        return core.config().errorMode();
    }

    /** {@return the size of the largest header of an active message in bytes} */
    public int maxHeaderBytes() {
        return maxHeaderBytes;
    }

    /** {@return a scheduler that runs tasks on the engine's thread, which they must not block} */
    public Scheduler scheduler() {
        return scheduler;
    }

    /** {@return the resources that this connection belongs to} */
    public UcxResources resources() {
        return resources;
    }

    /**
     * Closes gracefully: operations in flight complete, the peer is notified and receives all that was sent before.
     * After the configured close timeout the connection is closed by force.
     *
     * @return completes when the connection has ended
     */
    public Mono<Void> close() {
        return close(CloseMode.FLUSH);
    }

    /**
     * Closes in a mode.
     *
     * @param mode {@link CloseMode#FORCE} fails operations in flight
     * @return completes when the connection has ended
     */
    public Mono<Void> close(CloseMode mode) {
        return EndMono.close(core, Objects.requireNonNull(mode, "mode"));
    }

    @Override
    public void dispose() {
        close().subscribe();
    }

    /** Closes gracefully and waits, at most for the close timeout and a second. */
    public void disposeNow() {
        disposeNow(core.config().closeTimeout().plusSeconds(1));
    }

    /**
     * Closes gracefully and waits.
     *
     * @param timeout the longest wait, more than 0
     */
    public void disposeNow(Duration timeout) {
        Blocking.awaitEnd(close(), timeout, "disposeNow", this);
    }

    /** {@return whether the connection has ended, or is closing} */
    @Override
    public boolean isDisposed() {
        return state() != ConnectionState.CONNECTED;
    }

    /** {@return the state of the connection} */
    public ConnectionState state() {
        ConnectionPhase phase = core.phase();
        MessageProtocol messages = core.protocol(MessageProtocol.class);
        return phase == ConnectionPhase.CLOSED ? ConnectionState.CLOSED
                : phase.isClosing() || messages != null && messages.isPeerClosing() ? ConnectionState.CLOSING
                : ConnectionState.CONNECTED;
    }

    /** Rejects further requests, and asks the handler to end: see {@link #onClosing()}. */
    void windUp() {
        windingUp = true;
        MessageProtocol messages = core.protocol(MessageProtocol.class);
        if (messages != null) {
            messages.context().execute(() -> messages.streams().stopAccepting("the server is stopping"));
        }
        closing.tryEmitEmpty();
    }

    /** Returns a Mono that waits for the requests that a server has begun when it stops, and for none before. */
    Mono<Void> requestsInProgress() {
        return Mono.defer(() -> windingUp
                ? Mono.create(sink -> messages().context().execute(() -> messages().streams().whenDone(sink::success)))
                : Mono.empty());
    }

    /**
     * Asks a server's handler to end: it completes the work in progress and starts none, for example with
     * {@code receive(id).takeUntilOther(connection.onClosing())}. A close by the peer does not signal this; it
     * ends {@code receive}.
     *
     * @return completes when the server stops ({@link UcxBoundServer#disposeLater(Duration, Duration)}), at the latest
     * with the connection
     */
    public Mono<Void> onClosing() {
        return Mono.firstWithSignal(closing.asMono(), onDispose());
    }

    /** {@return completes when the connection has ended} */
    public Mono<Void> onDispose() {
        return EndMono.of(core.end());
    }

    /**
     * {@return completes when the connection has ended by a close of either side, and fails with the loss when it was
     * lost}
     */
    public Mono<Void> onTerminate() {
        return onDispose().then(loss());
    }

    /** Returns a Mono that fails with the loss if the connection was lost. */
    Mono<Void> loss() {
        return Mono.defer(() ->
                EndMono.afterEnd(core, new UcxClosedException("operation", peer(), "the connection is closed")));
    }

    @Override
    public String toString() {
        return "UcxConnection[" + core.peer() + ", " + state() + "]";
    }
}
