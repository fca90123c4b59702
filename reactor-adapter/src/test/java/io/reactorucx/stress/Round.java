package io.reactorucx.stress;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxConnectionPool;
import io.reactorucx.UcxReconnectingConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import io.reactorucx.engine.WaitStrategy;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.retry.Retry;

/**
 * Resources of two sides with a server and connections, among which random calls are made, and then nothing may be left
 * of them.
 */
final class Round {

    static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(3);
    static final int MAX_MESSAGE_BYTES = 4 << 20;

    private static final long POOL_BYTES = 64L << 20;

    final CallJournal journal;

    private final Settings settings;
    private final boolean failureDetection;
    private final boolean streams;
    private final boolean remoteMemory;
    private final int engines;
    private final WaitStrategy strategy;
    private final Map<Integer, CheckedPeer> peers = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<UcxResources> allResources = new CopyOnWriteArrayList<>();
    private final List<UcxBufferPool> pools = new CopyOnWriteArrayList<>();
    private final Map<UcxMemoryWindow, UcxArena> windows = new ConcurrentHashMap<>();
    private final Map<UcxResources, UcpMemory> registered = new ConcurrentHashMap<>();
    private final List<Exported> descriptors = new CopyOnWriteArrayList<>();
    private final List<UcxConnectionPool> connectionPools = new CopyOnWriteArrayList<>();
    private final List<UcxReconnectingConnection> reconnectings = new CopyOnWriteArrayList<>();
    private final Set<UcxResources> disposed = ConcurrentHashMap.newKeySet();
    private volatile Stopping serverStopping = new Stopping();
    private volatile UcxResources serverResources;
    private volatile UcxResources clientResources;
    private volatile @Nullable UcxBoundServer server;

    /**
     * What does not change from round to round.
     *
     * @param transports of UCX; none for its own choice
     * @param plant the fault that the harness has to find
     * @param patience how long an end may take
     */
    record Settings(List<String> transports, Plant plant, Duration patience) {
    }

    /** Whether a server has begun to stop. */
    private static final class Stopping {

        private volatile boolean begun;
    }

    private record Exported(UcxResources owner, WindowDescriptor descriptor) {
    }

    /** Faults of the harness itself, to see that they are found. */
    enum Plant {
        NOTHING,
        /** A wrong call that ends well, a lost message, a lease and a call that stay, a dropped error. */
        FAULTS,
        /** An end of the process, as by UCX. */
        ABORT
    }

    Round(Settings settings, CallJournal journal, Random random) {
        this.settings = settings;
        this.journal = journal;
        failureDetection = random.nextInt(3) != 0;
        streams = random.nextInt(3) == 0;
        remoteMemory = random.nextInt(2) == 0;
        engines = 1 + random.nextInt(2);
        strategy = random.nextInt(4) == 0 ? WaitStrategy.EVENT : WaitStrategy.ADAPTIVE;
        serverResources = resources();
        clientResources = resources();
        bind();
        int connections = settings.plant == Plant.NOTHING ? 1 + random.nextInt(4) : 4;
        for (int i = 0; i < connections; i++) {
            client(random).connectNow();
        }
        if (settings.plant == Plant.FAULTS) {
            journal.plain("0 wrong", Rule.WRONG, () -> { });
            journal.follow("0 never", Rule.LEGAL, false, Mono::never, ignored -> { }, () -> { });
            serverResources.buffers().acquire(100).retain().release();
            Operators.onErrorDropped(new IllegalStateException("planted"), Context.empty());
        }
    }

    @Override
    public String toString() {
        return "errorMode=" + (failureDetection ? "PEER" : "NONE") + " streams=" + streams + " remoteMemory="
                + remoteMemory + " engines=" + engines + " wait=" + strategy + " transports=" + settings.transports;
    }

    private UcxResources resources() {
        UcxResourcesBuilder builder = UcxResources.builder().engines(engines).waitStrategy(strategy)
                .streams(streams).remoteMemoryAccess(remoteMemory).remoteAtomics(remoteMemory)
                .maxBufferBytes(POOL_BYTES);
        UcxResources made = (settings.transports.isEmpty() ? builder
                : builder.transports(settings.transports.toArray(String[]::new))).build();
        allResources.add(made);
        pools.add(made.buffers());
        return made;
    }

    void bind() {
        Stopping stopping = new Stopping();
        server = UcxServer.create(serverResources).peerFailureDetection(failureDetection).closeTimeout(CLOSE_TIMEOUT)
                .maxMessageBytes(MAX_MESSAGE_BYTES).handle(connection -> {
                    CheckedPeer peer = peer(connection, false);
                    if (stopping.begun) {
                        peer.closes();
                    }
                    return Mono.never();
                }).bindNow();
        serverStopping = stopping;
    }

    UcxBoundServer server() {
        return Objects.requireNonNull(server);
    }

    UcxClient client(Random random) {
        return client(random, false);
    }

    /** Returns a client; of connections that something else than a call closes, nothing is known. */
    UcxClient client(Random random, boolean lent) {
        UcxClient client = UcxClient.create(clientResources).remoteAddress("127.0.0.1", server().port())
                .peerFailureDetection(failureDetection).closeTimeout(CLOSE_TIMEOUT).maxMessageBytes(MAX_MESSAGE_BYTES)
                .doOnConnected(connection -> peer(connection, lent));
        return random.nextInt(4) == 0 ? client.messageWindow(8, 64 << 10) : client;
    }

    /** Makes one side of a new connection a peer, which says hello so that the other side knows whom it talks to. */
    private CheckedPeer peer(UcxConnection connection, boolean lent) {
        int number = numbers.incrementAndGet();
        CheckedPeer peer = new CheckedPeer(number, connection, this);
        peers.put(number, peer);
        if (lent) {
            peer.force();
        }
        if (disposed.contains(connection.resources())) {
            peer.closes();
        }
        peer.start();
        // Another thread may have made a call of this peer already, and taken the first number.
        MemorySegment first = peer.next(Payload.PREFIX);
        byte[] hello = first.toArray(ValueLayout.JAVA_BYTE);
        journal.follow("0 " + number + " hello", Rule.LEGAL, false,
                () -> connection.outbound().sendByteArrays(Mono.just(hello)), ignored -> { },
                () -> peer.confirm(Payload.number(first), 0));
        return peer;
    }

    @Nullable CheckedPeer peer(int number) {
        return peers.get(number);
    }

    Collection<CheckedPeer> peers() {
        return peers.values();
    }

    int livePeers() {
        return (int) peers.values().stream().filter(peer -> !peer.hasEnded()).count();
    }

    /** Chooses a side of a connection, mostly one that has not ended. */
    CheckedPeer choose(Random random) {
        List<CheckedPeer> live = peers.values().stream().filter(peer -> !peer.hasEnded()).toList();
        List<CheckedPeer> from = live.isEmpty() || random.nextInt(10) == 0 ? List.copyOf(peers.values()) : live;
        return from.get(random.nextInt(from.size()));
    }

    boolean hasStreams() {
        return streams;
    }

    boolean hasRemoteMemory() {
        return remoteMemory;
    }

    /** Whether UCX ends operations whose peer does not take part in them. */
    boolean canForce() {
        return failureDetection;
    }

    boolean dropsMessages() {
        return settings.plant == Plant.FAULTS;
    }

    void closes(UcxConnection connection, boolean force) {
        peers.values().stream().filter(peer -> peer.connection == connection).forEach(peer -> {
            peer.closes();
            if (force) {
                peer.force();
            }
        });
    }

    private void closesAll(UcxResources resources, boolean force) {
        peers.values().stream().filter(peer -> !peer.hasEnded() && peer.connection.resources() == resources)
                .forEach(peer -> closes(peer.connection, force));
    }

    /** What is connected from now on is closed as well. */
    private void disposes(UcxResources resources) {
        disposed.add(resources);
        closesAll(resources, false);
    }

    void closesServer(boolean force) {
        serverStopping.begun = true;
        closesAll(serverResources, force);
    }

    void add(UcxResources owner, UcxMemoryWindow window, UcxArena arena) {
        windows.put(window, arena);
        descriptors.add(new Exported(owner, window.descriptor()));
    }

    /** Returns a window of the other side that may have been revoked; sometimes one of some other side. */
    WindowDescriptor window(Call call) {
        CheckedPeer owner = call.peer().other();
        UcxResources of = owner == null || call.oneIn(8) ? serverResources : owner.connection.resources();
        List<Exported> known = descriptors.stream().filter(each -> each.owner == of).toList();
        if (known.isEmpty() || call.oneIn(20)) {
            UcxMemoryWindow window = of.exportMemory(Arena.ofAuto().allocate(MemoryCalls.WINDOW_BYTES, 8),
                    EnumSet.allOf(MemoryRight.class));
            descriptors.add(new Exported(of, window.descriptor()));
            return window.descriptor();
        }
        return known.get(call.random().nextInt(known.size())).descriptor;
    }

    void revokeOne(Call call) {
        List<UcxMemoryWindow> open = windows.keySet().stream().toList();
        if (call.oneIn(2) && !open.isEmpty()) {
            UcxMemoryWindow window = open.get(call.random().nextInt(open.size()));
            UcxArena arena = windows.get(window);
            call.plain("close of an exported arena", Rule.EITHER, Objects.requireNonNull(arena)::close);
            call.follow("revoke", Rule.LEGAL, window::revoke);
            call.follow("revoke, twice", Rule.LEGAL, window::revoke);
            windows.remove(window);
            call.follow("closeAsync of an exported arena", Rule.EITHER, () -> Mono.fromFuture(arena::closeAsync));
        }
    }

    UcpMemory registered(UcxResources resources) {
        return registered.computeIfAbsent(resources, owner -> owner.allocateMemory(MemoryCalls.WINDOW_BYTES));
    }

    UcxConnectionPool pool() {
        if (connectionPools.isEmpty() || connectionPools.getLast().isDisposed()) {
            connectionPools.add(UcxConnectionPool.builder(client(new Random(0), true)).maxConnections(2)
                    .pendingAcquireTimeout(Duration.ofSeconds(2)).build());
        }
        return connectionPools.getLast();
    }

    UcxReconnectingConnection reconnecting() {
        if (reconnectings.isEmpty() || reconnectings.getLast().isDisposed()) {
            reconnectings.add(client(new Random(0), true).reconnect(Retry.fixedDelay(3, Duration.ofMillis(20)))
                    .pendingTimeout(Duration.ofSeconds(2)).connectNow(Duration.ofSeconds(5)));
        }
        return reconnectings.getLast();
    }

    /** Disposes of the resources of one side amid everything, and makes new ones. */
    void replaceResources(Call call) {
        if (call.oneIn(2)) {
            UcxResources old = clientResources;
            clientResources = resources();
            disposes(old);
            call.follow("disposeLater of the client's resources", Rule.LEGAL, old::disposeLater);
            connectionPools.forEach(UcxConnectionPool::dispose);
            reconnectings.forEach(UcxReconnectingConnection::dispose);
        } else {
            UcxResources old = serverResources;
            serverResources = resources();
            disposes(old);
            call.follow("disposeLater of the server's resources", Rule.LEGAL, old::disposeLater);
            bind();
        }
    }

    /** Closes everything, and looks for what is left; returns how many messages were sought. */
    int end(Random random) {
        boolean byResources = random.nextInt(5) == 0 && settings.plant == Plant.NOTHING;
        connectionPools.forEach(UcxConnectionPool::dispose);
        reconnectings.forEach(UcxReconnectingConnection::dispose);
        if (!byResources) {
            int side = settings.plant == Plant.NOTHING ? random.nextInt(10) : 0;
            peers.values().stream().filter(peer -> !peer.hasEnded() && (side == 9
                    || peer.connection.resources() == (side % 2 == 0 ? serverResources : clientResources)))
                    .forEach(this::close);
            Waits.until(CLOSE_TIMEOUT, () -> livePeers() == 0);
            peers.values().stream().filter(peer -> !peer.hasEnded()).forEach(this::close);
            await("connections have not ended", () -> livePeers() == 0, () -> peers.values().stream()
                    .filter(peer -> !peer.hasEnded()).map(peer -> peer.number + " " + peer.connection).toList());
        }
        List<UcxResources> order = new ArrayList<>(allResources);
        Collections.shuffle(order, random);
        order.forEach(resources -> {
            disposes(resources);
            journal.follow("0 disposeLater", Rule.LEGAL, false, resources::disposeLater, ignored -> { }, () -> { });
            Waits.until(CLOSE_TIMEOUT, () -> livePeers() == 0);
        });
        windows.values().forEach(arena -> journal.follow("0 closeAsync", Rule.EITHER, false,
                () -> Mono.fromFuture(arena::closeAsync), ignored -> { }, () -> { }));
        await("calls have not ended", () -> journal.pendingCalls().isEmpty(), journal::pendingCalls);
        journal.forgetPending();
        await("leases are left", () -> pools.stream().allMatch(pool -> pool.leases() == 0),
                () -> pools.stream().map(pool -> pool.leases() + " of " + pool.leasedBytes() + " bytes").toList());
        await("contexts are left", () -> UcpContext.openContexts() == 0, () -> UcpContext.openContexts()
                + " contexts");
        await("threads are left", () -> threads().isEmpty(), Round::threads);
        return peers.values().stream().mapToInt(CheckedPeer::check).sum();
    }

    private void close(CheckedPeer peer) {
        closes(peer.connection, false);
        journal.follow("0 " + peer.number + " last close", Rule.LEGAL, false, peer.connection::close, ignored -> { },
                () -> { });
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.startsWith("reactor-ucx")).collect(java.util.stream.Collectors.toSet());
    }

    private void await(String what, BooleanSupplier isOver, java.util.function.Supplier<?> left) {
        if (!Waits.until(settings.patience, isOver)) {
            journal.fault("after " + settings.patience + ", " + what + ": " + left.get(), null);
        }
    }
}
