package io.reactorucx;

import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.connection.ConnectionStatistics;
import io.reactorucx.connection.UcxStatistics;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.engine.EngineHealth;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.concurrent.EndMono;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.memory.WindowRegistry;
import io.reactorucx.internal.resources.AdapterProtocols;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.ServedMemoryStatistics;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.message.MessageStatistics;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.PeerStatistics;
import io.reactorucx.transport.EncryptionStatistics;
import io.reactorucx.transport.RingStatistics;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.config.AuthenticatorLimits;
import io.reactorucx.transport.config.DeviceNeed;
import io.reactorucx.transport.connect.DeviceStarter;
import io.reactorucx.transport.connect.EngineResources;
import io.reactorucx.transport.connect.EngineStacks;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.handshake.ResourceLimits;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The expensive resources that connections share: a UCX context, the engines and their threads, registered buffers. An
 * application needs one instance: for network devices that the context does not have, another one is made beside it.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> {@link #disposeLater()} closes open connections and servers, then
 * the engines, then registered memory and the context. <b>Errors:</b>
 * {@link io.reactorucx.core.error.UcxUnavailableException} where UCX cannot be used.
 */
public final class UcxResources implements Disposable {

    private static final Logger LOG = LoggerFactory.getLogger(UcxResources.class);

    private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

    private final DeviceStarter starter;
    private final EngineStacks<AdapterProtocols> stacks;
    private final ConnectionCounters counters = new ConnectionCounters();
    private final ResourceLimits limits;
    private final LeakReporter leaks;
    private final Set<UcpMemory> registrations = ConcurrentHashMap.newKeySet();
    private volatile boolean contextRefused;
    private final AtomicBoolean disposing = new AtomicBoolean();
    private final Sinks.Empty<Void> disposed = Sinks.empty();

    UcxResources(DeviceStarter starter, ResourceLimits limits, LeakReporter leaks, ServedMemoryConfig memory,
            AuthenticatorLimits authenticators) {
        this.starter = starter;
        this.limits = limits;
        this.leaks = leaks;
        this.stacks = new EngineStacks<>(starter, started -> new AdapterProtocols(started, limits, leaks, memory,
                this::owned, authenticators),
                started -> Blocking.awaitEnd(Mono.fromFuture(started, true).then(), START_TIMEOUT, "build",
                "the engines do not answer"));
    }

    /** Returns the engines for a server or a client, which use the network devices that its address needs. */
    CompletableFuture<EngineResources> reaching(DeviceNeed need) {
        return stacks.reaching(need);
    }

    /** Returns engines for a client that knows the address of a worker. */
    EngineResources anyEngines() {
        return stacks.any();
    }

    /** Returns whether the network devices follow the addresses of servers and clients. */
    boolean followsAddresses() {
        return starter.followsAddresses();
    }

    boolean usesTcpWithinHost() {
        return starter.usesTcpWithinHost();
    }

    /**
     * {@return completes when a server, a client or the application first uses engines, buffers or context, on the
     * thread that does. Until then UCX starts again for other network devices, instead of once more beside; meters
     * are such a use}
     */
    public Mono<Void> onUse() {
        return EndMono.of(stacks.unused());
    }

    /** {@return where UCX's tcp listens, on ports of its choice: nowhere for peers of this host over shared memory} */
    public List<InetSocketAddress> listeningAddresses() {
        return stacks.all().listeningAddresses();
    }

    /** {@return new resources with one engine and default settings} */
    public static UcxResources create() {
        return builder().build();
    }

    /** {@return a builder with default settings} */
    public static UcxResourcesBuilder builder() {
        return new UcxResourcesBuilder();
    }

    /** {@return the pool of registered buffers, which receives lease from as well} */
    public UcxBufferPool buffers() {
        stacks.used();
        return bufferPool();
    }

    LeasePool bufferPool() {
        return stacks.content().pool();
    }

    /** {@return the UCX context} */
    public UcpContext context() {
        return stacks.used().context();
    }

    /**
     * {@return the engines, with their counters. Those that are added later, for an address that needs other network
     * devices, come last; {@link UcxStatistics#onEngineAdded()} tells of them}
     */
    public List<ProgressEngine> engines() {
        stacks.used();
        return stacks.engines();
    }

    /**
     * Allocates registered memory, which can be exported to peers.
     *
     * @param bytes the size
     * @return the memory; closed with these resources if not before
     */
    public UcpMemory allocateMemory(long bytes) {
        return owned(context().allocate(bytes));
    }

    /**
     * Registers memory of the caller, which can be exported to peers.
     *
     * @param segment native memory of a {@link UcxArena} or an automatic arena, which stays alive until the result is
     *     closed
     * @return the registration; closed with these resources if not before
     */
    public UcpMemory registerMemory(MemorySegment segment) {
        return owned(context().register(segment));
    }

    /**
     * Exports memory to framework peers, with the given rights and until the window is revoked. This side's engines
     * check and serve the peers' requests; {@link UcxResourcesBuilder#remoteMemoryAccess(boolean)} is not needed. Any
     * peer that has the descriptor can use the window over any connection of these resources: give the descriptor only
     * to peers that may access this memory.
     *
     * @param segment native memory of a {@link UcxArena} or an automatic arena; memory that is read-only has to stay
     *     alive until the window is revoked, other memory does
     * @param rights what peers may do, at least one right
     * @return the window; revoked with these resources if not before
     */
    public UcxMemoryWindow exportMemory(MemorySegment segment, Set<MemoryRight> rights) {
        stacks.used();
        return stacks.content().windows().export(segment, rights, null);
    }

    /**
     * Exports registered memory to framework peers. With {@link UcxResourcesBuilder#remoteMemoryAccess(boolean)}, and
     * the rights {@link MemoryRight#READ} and {@link MemoryRight#WRITE}, the descriptor also carries UCX's own key, by
     * which peers access the memory directly where the transport supports that: then neither rights nor a revocation
     * restrict them, only the end of their connections.
     *
     * @param memory registered memory of these resources, open until the window is revoked
     * @param rights what peers may do, at least one right
     * @return the window; revoked with these resources if not before
     */
    public UcxMemoryWindow exportMemory(UcpMemory memory, Set<MemoryRight> rights) {
        stacks.used();
        return stacks.content().windows().export(memory, rights, null);
    }

    /** {@return counts and amounts of exported memory} */
    public ServedMemoryStatistics servedMemory() {
        return stacks.content().windows().statistics();
    }

    private UcpMemory owned(UcpMemory memory) {
        registrations.removeIf(UcpMemory::isClosed);
        registrations.add(memory);
        if (disposing.get()) {
            // The close of all registrations may be over, and an open one would keep the context open.
            memory.close();
            if (contextRefused) {
                closeContext();
            }
            throw new UcxClosedException("mem_map", null, "these resources are closed");
        }
        return memory;
    }

    /**
     * Returns the address of an engine's worker, for peers that connect without a listener. They have to receive it
     * over a trusted channel. Where UCX listens on tcp, its sockets are open to all hosts from then on: peers that
     * connect in this way cannot be told from others.
     *
     * @param engine index of the engine, from 0
     * @return the address
     */
    public Mono<byte[]> workerAddress(int engine) {
        stacks.used();
        EngineConnections connections = stacks.all().engines()
                .get(checkEngine(engine, stacks.all().engines().size())).connections();
        return EngineCall.mono(connections.engine(), worker -> {
            connections.admission().admitAllForGood();
            return worker.address();
        });
    }

    /** {@return the number of open connections of all engines} */
    public int openConnections() {
        return stacks.all().connections().stream().mapToInt(EngineConnections::openConnections).sum();
    }

    /** {@return the number of active messages that were dropped since the start, for any {@link DropReason}} */
    public long droppedMessages() {
        return Stream.of(DropReason.values()).mapToLong(this::droppedMessages).sum();
    }

    /**
     * Returns the number of active messages that were dropped for one reason.
     *
     * @param reason the reason
     * @return the number since the start
     */
    public long droppedMessages(DropReason reason) {
        Objects.requireNonNull(reason, "reason");
        return stacks.all().connections().stream().mapToLong(each -> each.droppedMessages(reason)).sum();
    }

    /** {@return the number of offered active messages that became unreachable without a fetch or discard} */
    public long leakedMessages() {
        return leaks.messages();
    }

    /** {@return lost and rejected peers, for each of {@link #engines()}} */
    public List<PeerStatistics> peerStatistics() {
        return stacks.all().connections().stream().map(EngineConnections::peerStatistics).toList();
    }

    /** {@return the number of endpoints that are kept for the next connection to the same peer} */
    public int idleEndpoints() {
        return (int) limits.idleEndpoints().count();
    }

    /** {@return the maximum of {@link #idleEndpoints()}} */
    public int maxIdleEndpoints() {
        return (int) limits.idleEndpoints().limit();
    }

    /** {@return the number of parked endpoints: their connections ended by force, and UCX cannot close them yet} */
    public int parkedEndpoints() {
        return stacks.all().parkedEndpoints();
    }

    /** {@return from how many {@link #parkedEndpoints()} on new connections are refused} */
    public int maxParkedEndpoints() {
        return (int) limits.parkedEndpoints().limit();
    }

    /** {@return the number of handshakes in progress at the servers of these resources} */
    public int pendingHandshakes() {
        return stacks.all().handshakes().pending();
    }

    /** {@return the number of accepted sockets whose handshake has failed, since the start} */
    public long failedHandshakes() {
        return stacks.all().handshakes().failed();
    }

    /** {@return the number of steps of authenticators that wait for a thread} */
    public int queuedAuthentications() {
        return stacks.all().serverAuthenticators().queued() + stacks.all().clientAuthenticators().queued();
    }

    /** {@return the number of steps of authenticators that were refused because too many waited, since the start} */
    public long refusedAuthentications() {
        return stacks.all().serverAuthenticators().refused() + stacks.all().clientAuthenticators().refused();
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
        return stacks.content().messageStatistics();
    }

    /** {@return counts of the rings to engines of this host, for each of {@link #engines()}; zeros without rings} */
    public List<RingStatistics> ringStatistics() {
        return stacks.content().ringStatistics();
    }

    /** {@return counts of what is encrypted, for each of {@link #engines()}} */
    public List<EncryptionStatistics> encryptionStatistics() {
        return stacks.content().encryptionStatistics();
    }

    /** {@return the other counts and amounts of these resources} */
    public UcxStatistics statistics() {
        return stacks.content().statistics();
    }

    /** {@return how each of {@link #engines()} is, for health checks; any thread, also after these resources closed} */
    public List<EngineHealth> health() {
        return stacks.health();
    }

    /** Checks the number of an engine among those of one context. */
    int checkEngine(int number) {
        return checkEngine(number, stacks.enginesOfEach());
    }

    private static int checkEngine(int number, int count) {
        if (number < 0 || number >= count) {
            throw new IndexOutOfBoundsException("engine " + number + ": must be in 0.." + (count - 1));
        }
        return number;
    }

    /** Returns the engines with their protocols. */
    EngineResources connecting() {
        return stacks.all();
    }

    WindowRegistry windows() {
        return stacks.content().windows();
    }

    /**
     * Closes connections, servers, engines, registered memory and the context.
     *
     * @return completes when the threads have ended and the context is closed
     */
    public Mono<Void> disposeLater() {
        return Mono.defer(() -> {
            if (disposing.compareAndSet(false, true)) {
                stacks.beginClose();
                counters.close(stacks.all())
                        .onErrorResume(error -> {
                            LOG.warn("Closing the connections failed", error);
                            return Mono.empty();
                        }).then(Mono.fromFuture(stacks::closeEngines))
                        .onErrorResume(error -> Mono.fromFuture(() -> stacks.all().closeSockets())
                        .then(Mono.error(error)))
                        .then(Mono.fromFuture(() -> stacks.all().closeSockets())).subscribe(ignored -> { },
                        this::enginesClosed, () -> enginesClosed(null));
            }
            return disposed.asMono();
        });
    }

    private void enginesClosed(@Nullable Throwable error) {
        if (error != null) {
            LOG.error("Closing the engines failed", error);
        }
        stacks.enginesClosed();
        try {
            registrations.forEach(UcpMemory::close);
        } catch (IllegalStateException e) {
            LOG.error("Registered memory stays open: {}", e.getMessage());
        }
        stacks.buffers().close(this::closeContext);
        disposed.tryEmitEmpty();
    }

    /** A thread that registers memory at this moment sees that these resources are disposed, and closes it again. */
    private void closeContext() {
        UcpContext context = stacks.context();
        try {
            context.close();
        } catch (IllegalStateException refused) {
            contextRefused = true;
            try {
                // Such a thread may have looked before the line above.
                context.close();
            } catch (IllegalStateException e) {
                LOG.error("The context stays open: {}", e.getMessage());
            }
        }
    }

    @Override
    public void dispose() {
        disposeLater().subscribe();
    }

    /** Closes these resources and waits for at most 30 s. */
    public void disposeNow() {
        Blocking.awaitEnd(disposeLater(), Duration.ofSeconds(30), "disposeNow", this);
    }

    @Override
    public boolean isDisposed() {
        return disposing.get();
    }

    /** {@return completes when these resources are closed} */
    public Mono<Void> onDispose() {
        return disposed.asMono();
    }

    @Override
    public String toString() {
        List<ProgressEngine> engines = stacks.engines();
        return "UcxResources[" + engines.getFirst().config().name() + ", engines=" + engines.size() + ", connections="
                + openConnections() + (disposing.get() ? ", closing]" : "]");
    }
}
