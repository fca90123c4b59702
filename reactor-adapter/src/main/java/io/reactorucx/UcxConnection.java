package io.reactorucx;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxUnsupportedException;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.concurrent.EngineExecutor;
import io.reactorucx.internal.connect.Established;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.ConnectionPhase;
import io.reactorucx.internal.handshake.PeerInfo;
import io.reactorucx.internal.memory.FlushOperation;
import io.reactorucx.internal.memory.MemoryAccessFactory;
import io.reactorucx.internal.memory.MemoryProtocol;
import io.reactorucx.internal.memory.OneSidedAccess;
import io.reactorucx.internal.message.MessageMultiplexer;
import io.reactorucx.internal.request.ResponderDispatcher;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.message.UcxResponder;
import java.lang.foreign.MemorySegment;
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
 * A connection to a peer. It lives on one engine for life; signals of its operations come on that engine's thread.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> close or dispose it once; {@link #onDispose()} says when it is
 * gone, whichever side ended it. <b>Errors:</b> when the peer is lost, every pending operation ends with an
 * {@link io.reactorucx.core.UcxException} that names the peer and the status; later ones end with
 * {@link io.reactorucx.core.UcxClosedException}.
 */
public final class UcxConnection implements Disposable {

    private final ConnectionCore core;
    private final UcxResources resources;
    private final List<String> transports;
    private final @Nullable UcxVersion peerVersion;
    private final int maxHeaderBytes;
    private final ActiveMessages activeMessages;
    private final Tags tags;
    private final ByteStream streams;
    private final Scheduler scheduler;
    private final Sinks.Empty<Void> closing = Sinks.empty();

    UcxConnection(Established established, UcxResources resources) {
        PeerInfo peer = established.peer();
        this.core = established.connection();
        this.resources = resources;
        this.transports = established.endpoint().transports();
        this.peerVersion = peer == null ? null : peer.ucxVersion();
        this.maxHeaderBytes = core.maxHeaderBytes();
        this.activeMessages = new ActiveMessages(core);
        this.tags = new Tags(core, resources.bufferPool());
        this.streams = new ByteStream(core, resources.bufferPool());
        this.scheduler = Schedulers.fromExecutor(new EngineExecutor(core.engine()));
    }

    /**
     * {@return what the peer sends through its {@link #outbound()}; only between peers that are both this library's}
     */
    public UcxInbound inbound() {
        return new UcxInbound(messages().streams().defaultStream());
    }

    /**
     * {@return messages to the peer's {@link #inbound()}, at the pace of who receives there; only between peers that
     * are both this library's}
     */
    public UcxOutbound outbound() {
        return new UcxOutbound(messages().streams().defaultStream());
    }

    /**
     * {@return requests to the peer, which has to {@link #respond}; only between peers that are both this library's}
     */
    public UcxRequester requester() {
        return new UcxRequester(messages(), 0);
    }

    /**
     * Answers requests of the peer; those that come before are refused.
     *
     * @param responder answers them
     * @return never completes, a cancel ends the answering of new requests; {@link IllegalStateException} when this
     *     connection has a responder already
     */
    public Mono<Void> respond(UcxResponder responder) {
        return ResponderDispatcher.mono(messages(), Objects.requireNonNull(responder, "responder"));
    }

    /** The streams of messages below that, which a raw connection does not have. */
    MessageMultiplexer messages() {
        MessageMultiplexer messages = core.protocol(MessageMultiplexer.class);
        if (messages == null) {
            throw new UcxUnsupportedException("messages",
                    "a raw peer knows none of this library's frames, use active messages");
        }
        return messages;
    }

    /** {@return active messages} */
    public ActiveMessages activeMessages() {
        return activeMessages;
    }

    /** {@return tagged messages} */
    public Tags tags() {
        return tags;
    }

    /** {@return the byte stream; both sides need {@link UcxResourcesBuilder#streams(boolean)}} */
    public ByteStream streams() {
        return streams;
    }

    /**
     * Memory of the peer, over {@code ucp_put/get}. Both sides need
     * {@link UcxResourcesBuilder#remoteMemoryAccess(boolean)}.
     *
     * @param descriptor what the peer sent
     * @return the memory
     */
    public RemoteMemory memory(MemoryDescriptor descriptor) {
        Objects.requireNonNull(descriptor, "descriptor");
        return new RemoteMemory(core, new OneSidedAccess(core, descriptor, resources.bufferPool()),
                descriptor.length());
    }

    /** {@return as {@link #memory(WindowDescriptor, MemoryPath)} with {@link MemoryPath#AUTO}} */
    public RemoteMemory memory(WindowDescriptor descriptor) {
        return memory(descriptor, MemoryPath.AUTO);
    }

    /**
     * A window that a framework peer has exported.
     *
     * @param descriptor what the peer sent
     * @param path how to reach it; {@link UcxUnsupportedException} when it cannot be reached so
     * @return the memory
     */
    public RemoteMemory memory(WindowDescriptor descriptor, MemoryPath path) {
        return new RemoteMemory(core, new MemoryAccessFactory(core, resources.context(), resources.bufferPool())
                .to(descriptor, path),
                descriptor.length());
    }

    /**
     * Exports memory as {@link UcxResources#exportMemory(MemorySegment, Set)} does, to the peer of this connection
     * only: whoever else has the descriptor cannot use it, and the window ends with the connection.
     *
     * @param segment native memory, alive until the window is revoked
     * @param rights what the peer may do
     * @return the window
     */
    public UcxMemoryWindow exportMemory(MemorySegment segment, Set<MemoryRight> rights) {
        return forThisOnly(resources.windows().export(segment, rights, core));
    }

    /**
     * Exports registered memory to the peer of this connection only, as {@link #exportMemory(MemorySegment, Set)} does.
     *
     * @param memory registered memory, open until the window is revoked
     * @param rights what the peer may do
     * @return the window
     */
    public UcxMemoryWindow exportMemory(UcpMemory memory, Set<MemoryRight> rights) {
        return forThisOnly(resources.windows().export(memory, rights, core));
    }

    private UcxMemoryWindow forThisOnly(UcxMemoryWindow window) {
        Disposable untilTheEnd = core.onDispose().subscribe(ignored -> { }, error -> { }, window::dispose);
        window.onDispose().subscribe(ignored -> { }, error -> untilTheEnd.dispose(), untilTheEnd::dispose);
        return window;
    }

    /** {@return completes when the peer sees all that was put before} */
    public Mono<Void> flush() {
        return FlushOperation.mono(core);
    }

    /**
     * Orders puts, gets and atomics: those of this connection that are subscribed to later happen after those before.
     *
     * @return completes at once, it waits for none of them
     */
    public Mono<Void> fence() {
        return EngineCall.mono(core.engine(), worker -> {
            core.endpointFor(OperationKind.FLUSH);
            worker.fence();
            MemoryProtocol part = core.protocol(MemoryProtocol.class);
            if (part != null) {
                part.client().fence();
            }
            return true;
        }).then();
    }

    /** {@return what the other side is called, for logs} */
    public String peer() {
        return core.peer();
    }

    /** {@return what it runs over, as {@code transport/device}} */
    public List<String> transports() {
        return transports;
    }

    /** {@return version of UCX on the other side, empty for a raw peer} */
    public Optional<UcxVersion> peerVersion() {
        return Optional.ofNullable(peerVersion);
    }

    /** {@return how failures of the peer are treated} */
    public ErrorMode errorMode() {
        return core.config().errorMode();
    }

    /** {@return largest header of an active message in bytes} */
    public int maxHeaderBytes() {
        return maxHeaderBytes;
    }

    /** {@return the engine's thread as a scheduler; what runs there must not block} */
    public Scheduler scheduler() {
        return scheduler;
    }

    /** {@return the shared things that this connection uses} */
    public UcxResources resources() {
        return resources;
    }

    /**
     * Closes in good order: what is under way ends, the peer is told, what was sent is flushed; by force when that
     * takes longer than the configured time.
     *
     * @return completes when the connection is gone
     */
    public Mono<Void> close() {
        return close(CloseMode.FLUSH);
    }

    /**
     * Closes.
     *
     * @param mode {@link CloseMode#FORCE} drops what is under way
     * @return completes when the connection is gone
     */
    public Mono<Void> close(CloseMode mode) {
        return core.close(Objects.requireNonNull(mode, "mode"));
    }

    @Override
    public void dispose() {
        close().subscribe();
    }

    /** Closes and waits for the end, at most for the configured time and a second. */
    public void disposeNow() {
        disposeNow(core.config().closeTimeout().plusSeconds(1));
    }

    /**
     * Closes and waits for the end.
     *
     * @param timeout longest wait, more than 0
     */
    public void disposeNow(Duration timeout) {
        Blocking.await(close(), timeout, "disposeNow");
    }

    /** {@return whether the end has come or begun} */
    @Override
    public boolean isDisposed() {
        return state() != ConnectionState.CONNECTED;
    }

    /** {@return where it is in its life} */
    public ConnectionState state() {
        ConnectionPhase phase = core.phase();
        return phase.isClosing() ? ConnectionState.CLOSING
                : phase == ConnectionPhase.CLOSED ? ConnectionState.CLOSED : ConnectionState.CONNECTED;
    }

    /** Asks the handler to come to its end: see {@link #onClosing()}. */
    void windUp() {
        closing.tryEmitEmpty();
    }

    /**
     * The request to a server's handler to come to its end: it finishes what it is in the midst of and begins nothing
     * new, such as by {@code receive(id).takeUntilOther(connection.onClosing())}. What the peer does is no such
     * request: its farewell ends {@code receive}.
     *
     * @return completes when the server stops ({@link UcxBoundServer#disposeLater(Duration, Duration)}), at the latest
     * with the connection
     */
    public Mono<Void> onClosing() {
        return Mono.firstWithSignal(closing.asMono(), core.onDispose());
    }

    /** {@return completes when the connection is gone} */
    public Mono<Void> onDispose() {
        return core.onDispose();
    }

    /**
     * {@return completes when the connection has ended in good order, whichever side closed it, and fails with the loss
     * when it was lost}
     */
    public Mono<Void> onTerminate() {
        return core.onDispose().then(loss());
    }

    /** Fails with the loss of a connection whose end has begun, if it was lost. */
    Mono<Void> loss() {
        return Mono.defer(() -> core.afterEnd(new UcxClosedException("operation", peer(), "the connection is closed")));
    }

    @Override
    public String toString() {
        return "UcxConnection[" + core.peer() + ", " + state() + "]";
    }
}
