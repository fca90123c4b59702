package io.reactorucx;

import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.connection.ConnectionStatistics;
import io.reactorucx.connection.PeerStatistics;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.engine.ProgressEngineGroup;
import io.reactorucx.internal.buffer.BufferPool;
import io.reactorucx.internal.buffer.LeakReporter;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.concurrent.EngineCloseListeners;
import io.reactorucx.internal.concurrent.RetryingCommand;
import io.reactorucx.internal.connect.EngineResources;
import io.reactorucx.internal.connection.EngineConnections;
import io.reactorucx.internal.endpoint.IdleEndpointLimit;
import io.reactorucx.internal.memory.WindowRegistry;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.ServedMemoryStatistics;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.message.DropReason;
import io.reactorucx.message.MessageStatistics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * What is expensive and shared: a UCX context, the engines and their threads, registered buffers. Make one for an
 * application.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> {@link #disposeLater()} closes connections and servers that are
 * still open, then the engines, then registered memory and the context. <b>Errors:</b>
 * {@link io.reactorucx.core.UcxUnavailableException} where UCX cannot be used.
 */
public final class UcxResources implements Disposable {

    private static final Logger LOG = LoggerFactory.getLogger(UcxResources.class);

    private final UcpContext context;
    private final ProgressEngineGroup engines;
    private final EngineResources connecting;
    private final BufferPool buffers;
    private final ConnectionCounters counters = new ConnectionCounters();
    private final IdleEndpointLimit idleEndpoints;
    private final LeakReporter leaks;
    private final WindowRegistry windows;
    private final Set<UcxBoundServer> servers = ConcurrentHashMap.newKeySet();
    private final Set<UcpMemory> registrations = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean disposing = new AtomicBoolean();
    private final Sinks.Empty<Void> disposed = Sinks.empty();

    UcxResources(UcpContext context, ProgressEngineGroup engines, EngineCloseListeners ends, BufferPool buffers,
            IdleEndpointLimit idle,
            LeakReporter leaks, ServedMemoryConfig memory) {
        this.idleEndpoints = idle;
        this.context = context;
        this.engines = engines;
        this.buffers = buffers;
        this.leaks = leaks;
        this.connecting = new EngineResources(engines.engines(), idle, buffers, leaks);
        this.windows = new WindowRegistry(context, memory, this::owned);
        connecting.start(ends, windows).block(Duration.ofSeconds(10));
    }

    /** {@return resources with one engine and the defaults} */
    public static UcxResources create() {
        return builder().build();
    }

    /** {@return a builder} */
    public static UcxResourcesBuilder builder() {
        return new UcxResourcesBuilder();
    }

    /** {@return the pool that fetches and remote reads lease from} */
    public UcxBufferPool buffers() {
        return buffers;
    }

    BufferPool bufferPool() {
        return buffers;
    }

    /** {@return the context, to ask or to register memory} */
    public UcpContext context() {
        return context;
    }

    /** {@return the engines, to look at their counters} */
    public List<ProgressEngine> engines() {
        return engines.engines();
    }

    /**
     * Registered memory that UCX allocates, for peers to reach.
     *
     * @param bytes size
     * @return the memory; closed with these resources if not before
     */
    public UcpMemory allocateMemory(long bytes) {
        return owned(context.allocate(bytes));
    }

    /**
     * Registers memory of the caller, for peers to reach.
     *
     * @param segment native memory, alive until the result is closed
     * @return the registration; closed with these resources if not before
     */
    public UcpMemory registerMemory(MemorySegment segment) {
        return owned(context.register(segment));
    }

    /**
     * Lets framework peers reach memory, within the rights that are given and until the window is revoked. What they
     * ask for is checked and done by this side's engines, with {@link Builder#remoteMemoryAccess(boolean)} on or off.
     * Who has the descriptor can use the window over any connection of these resources: hand it only to peers that you
     * trust with this memory.
     *
     * @param segment native memory of a shared or automatic arena, alive until the window is revoked
     * @param rights what peers may do, at least one
     * @return the window; revoked with these resources if not before
     */
    public UcxMemoryWindow exportMemory(MemorySegment segment, Set<MemoryRight> rights) {
        return windows.export(segment, rights, null);
    }

    /**
     * Lets framework peers reach registered memory. With {@link Builder#remoteMemoryAccess(boolean)} on, and both
     * {@link MemoryRight#READ} and {@link MemoryRight#WRITE} given, the descriptor also carries UCX's own key, by which
     * peers reach the memory without this side's help where the transport can do so: no right and no revocation stops
     * that, only the end of their connections.
     *
     * @param memory registered memory of these resources, open until the window is revoked
     * @param rights what peers may do, at least one
     * @return the window; revoked with these resources if not before
     */
    public UcxMemoryWindow exportMemory(UcpMemory memory, Set<MemoryRight> rights) {
        return windows.export(memory, rights, null);
    }

    /** {@return what has been served of exported memory} */
    public ServedMemoryStatistics servedMemory() {
        return windows.statistics();
    }

    private UcpMemory owned(UcpMemory memory) {
        registrations.removeIf(UcpMemory::isClosed);
        registrations.add(memory);
        if (disposing.get()) {
            // Maybe too late for the one who closes them all, and then the context could not be closed either.
            memory.close();
            throw new UcxClosedException("mem_map", null, "these resources are closed");
        }
        return memory;
    }

    /**
     * The address of an engine's worker, for peers that connect without a listener: hand it to them over a channel that
     * you trust.
     *
     * @param engine number of the engine, from 0
     * @return the address
     */
    public Mono<byte[]> workerAddress(int engine) {
        return EngineCall.mono(connecting.engines().get(checkEngine(engine)).engine(), UcpWorker::address);
    }

    /** {@return connections that are open on all engines} */
    public int openConnections() {
        return connecting.connections().stream().mapToInt(EngineConnections::openConnections).sum();
    }

    /** {@return active messages that were dropped for any {@link DropReason}, since the start} */
    public long droppedMessages() {
        return Stream.of(DropReason.values()).mapToLong(this::droppedMessages).sum();
    }

    /**
     * Active messages that were dropped for one reason.
     *
     * @param reason the reason
     * @return how many, since the start
     */
    public long droppedMessages(DropReason reason) {
        Objects.requireNonNull(reason, "reason");
        return connecting.connections().stream().mapToLong(each -> each.droppedMessages(reason)).sum();
    }

    /**
     * {@return offered active messages that were neither fetched nor discarded when nobody could reach them any more}
     */
    public long leakedMessages() {
        return leaks.messages();
    }

    /** {@return lost and rejected peers, for each of {@link #engines()}} */
    public List<PeerStatistics> peerStatistics() {
        return connecting.connections().stream().map(EngineConnections::peerStatistics).toList();
    }

    /** {@return endpoints that wait for the next connection to the same peer} */
    public int idleEndpoints() {
        return idleEndpoints.count();
    }

    /** {@return how many may wait} */
    public int maxIdleEndpoints() {
        return idleEndpoints.limit();
    }

    /** {@return handshakes that the servers of these resources have under way} */
    public int pendingHandshakes() {
        return connecting.handshakes().pending();
    }

    /** {@return sockets that came to the servers of these resources and became no connection, since the start} */
    public long failedHandshakes() {
        return connecting.handshakes().failed();
    }

    /** {@return counts and amounts of servers, connection pools and reconnecting connections} */
    public ConnectionStatistics connectionStatistics() {
        return counters.snapshot();
    }

    ConnectionCounters counters() {
        return counters;
    }

    /** {@return counts and amounts of flow-controlled messages, for each of {@link #engines()}} */
    public List<MessageStatistics> messageStatistics() {
        return connecting.engines().stream().map(engine -> engine.messages().counters().snapshot()).toList();
    }

    int checkEngine(int number) {
        if (number < 0 || number >= connecting.engines().size()) {
            throw new IndexOutOfBoundsException("engine " + number + ": must be in 0.."
                    + (connecting.engines().size() - 1));
        }
        return number;
    }

    /** What connections are made of. */
    EngineResources connecting() {
        return connecting;
    }

    WindowRegistry windows() {
        return windows;
    }

    /**
     * Closes all of it.
     *
     * @return completes when the threads have ended and the context is gone
     */
    public Mono<Void> disposeLater() {
        return Mono.defer(() -> {
            if (disposing.compareAndSet(false, true)) {
                connecting.dispose();
                closeConnections().then(Mono.fromFuture(engines::closeAsync))
                        .onErrorResume(error -> Mono.fromFuture(connecting::closeSockets).then(Mono.error(error)))
                        .then(Mono.fromFuture(connecting::closeSockets)).subscribe(ignored -> { },
                        this::ended, () -> ended(null));
            }
            return disposed.asMono();
        });
    }

    void add(UcxBoundServer server) {
        servers.removeIf(UcxBoundServer::isDisposed);
        servers.add(server);
        counters.add(server);
    }

    private Mono<Void> closeConnections() {
        counters.dispose();
        return Flux.fromIterable(servers).flatMap(UcxBoundServer::close, Integer.MAX_VALUE)
                .thenMany(Flux.fromIterable(connecting.connections()))
                .flatMap(registry -> RetryingCommand.mono(registry.engine(), worker -> registry.connections())
                .onErrorComplete())
                .flatMapIterable(Function.identity())
                .flatMap(connection -> connection.close(CloseMode.FLUSH)
                .timeout(connection.config().closeTimeout().plusSeconds(1))
                        .onErrorComplete(), Integer.MAX_VALUE)
                .then().onErrorResume(error -> {
                    LOG.warn("Connections did not close in good order", error);
                    return Mono.empty();
                });
    }

    private void ended(@Nullable Throwable error) {
        if (error != null) {
            LOG.error("Engines did not close", error);
        }
        windows.close();
        try {
            registrations.forEach(UcpMemory::close);
        } catch (IllegalStateException e) {
            LOG.error("Registered memory stays: {}", e.getMessage());
        }
        buffers.close(this::closeContext);
        disposed.tryEmitEmpty();
    }

    private void closeContext() {
        try {
            context.close();
        } catch (IllegalStateException e) {
            LOG.error("The context stays open: {}", e.getMessage());
        }
    }

    @Override
    public void dispose() {
        disposeLater().subscribe();
    }

    /** Closes all of it and waits, at most 30 s. */
    public void disposeNow() {
        Blocking.await(disposeLater(), Duration.ofSeconds(30), "disposeNow");
    }

    @Override
    public boolean isDisposed() {
        return disposing.get();
    }

    /** {@return completes when all of it is closed} */
    public Mono<Void> onDispose() {
        return disposed.asMono();
    }
}
