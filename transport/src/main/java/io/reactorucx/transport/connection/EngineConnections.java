package io.reactorucx.transport.connection;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.EngineHealth.UnderWay;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.PeerStatistics;
import io.reactorucx.transport.carrier.CarrierLayers;
import io.reactorucx.transport.carrier.EndpointCarrier;
import io.reactorucx.transport.carrier.SharedMemoryTransport;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.config.ProtocolConfig;
import io.reactorucx.transport.counter.EngineCounter;
import io.reactorucx.transport.endpoint.EndpointAllocator;
import io.reactorucx.transport.endpoint.PeerAdmission;
import io.reactorucx.transport.endpoint.PeerProcesses;
import io.reactorucx.transport.endpoint.SharedMemorySignals;
import io.reactorucx.transport.event.FlightEvents;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.EncryptionOffer;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.Locality;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.RejectionLog;
import io.reactorucx.transport.handshake.ResourceLimits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one engine. The reply endpoint of a framework peer's message tells its connection, the token in it
 * proves that it is that connection's, and the reserved id tells its protocol. UCX takes the reply endpoint from a
 * number that the sender writes, and the numbers are easy to guess.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
public final class EngineConnections {

    private static final Logger LOG = LoggerFactory.getLogger(EngineConnections.class);

    private final CommandExecutor engine;
    private final @Nullable ProgressEngine progressEngine;
    private final ResourceLimits limits;
    private final long maxLeaseBytes;
    private final Map<UcpEndpoint, ConnectionCore> byEndpoint = new IdentityHashMap<>();
    /** Connections that have a control socket, and no attached carrier yet. */
    private final Set<ConnectionCore> connecting = new HashSet<>();
    private final Set<ConnectionCore> undelivered = new HashSet<>();
    private final AtomicLongArray dropped = new AtomicLongArray(DropReason.values().length);
    private final long workerId = new SecureRandom().nextLong();
    private final AtomicLong droppedOffers = new AtomicLong();
    private final PeerCounters counters = new PeerCounters();
    /** The connections whose carrier is attached, for any thread. */
    private final Set<ConnectionCore> live = ConcurrentHashMap.newKeySet();
    private final RejectionLog rejections = new RejectionLog();
    private final EndSignal engineEnd = new EndSignal();
    private final HeartbeatTimer heartbeats;
    private final PeerProcesses processes;
    private final OperationAges ages;
    private List<ProtocolFactory> factories = List.of();
    private @Nullable UcpWorker worker;
    private @Nullable EndpointAllocator endpoints;
    private @Nullable Function<String, EndpointCarrier> carriers;
    private @Nullable PeerAdmission admission;
    private final CarrierLayers layers = new CarrierLayers();
    private volatile int maxHeaderBytes;
    private volatile byte[] address = new byte[0];
    private volatile byte[] networkAddress = new byte[0];
    private volatile Locality locality = Locality.UNKNOWN;
    private volatile List<String> transports = List.of();
    private @Nullable WorkerAddressAcceptor acceptor;

    /** Creates the connections of an engine, whose pool has leases of at most so many bytes. */
    public EngineConnections(ProgressEngine engine, ResourceLimits limits, long maxLeaseBytes) {
        this(engine, engine, limits, maxLeaseBytes);
    }

    /** Creates the connections of an executor, which may be one without UCX. */
    EngineConnections(CommandExecutor engine, @Nullable ProgressEngine progressEngine, ResourceLimits limits,
            long maxLeaseBytes) {
        this.maxLeaseBytes = maxLeaseBytes;
        this.engine = engine;
        this.progressEngine = progressEngine;
        this.limits = limits;
        this.heartbeats = new HeartbeatTimer(engine);
        this.processes = new PeerProcesses(engine, "the look for ended peers", Integer.MAX_VALUE, 2);
        this.ages = new OperationAges(engine, this::underWay, this::isEmpty);
    }

    /** Accepts peers that connect by worker address. */
    @FunctionalInterface
    public interface WorkerAddressAcceptor {

        void accept(EngineConnections connections, ControlFrame hello);
    }

    /** Registers the protocols with the worker of the engine. The first call on the engine's thread. */
    public void start(UcpWorker owned, List<ProtocolFactory> protocols) {
        ProgressEngine started = progressEngine();
        worker = owned;
        admission = new PeerAdmission(started, owned);
        QueueRepair queueRepair = new QueueRepair(started, owned.context());
        carriers = peer -> new EndpointCarrier(peer, started, owned, endpoints(), limits, queueRepair::peerLost,
                processes);
        maxHeaderBytes = owned.maxHeaderBytes();
        address = owned.address();
        networkAddress = owned.networkAddress();
        transports = owned.context().transports();
        locality = Locality.here(SharedMemoryTransport.isNotTheOnlyOneOf(transports),
                owned.context().config().features().contains(UcpFeature.WAKEUP),
                protocols.stream().anyMatch(protocol -> protocol.reservedId() == ReservedMessageIds.RINGS));
        endpoints = new EndpointAllocator(started, owned, address);
        SharedMemorySignals.start(started);
        protocols(protocols);
        owned.activeMessages().handler(ReservedMessageIds.CONTROL, this::control);
        // Handlers of protocols that this engine lacks as well, since UCX writes an error for each unexpected message.
        ReservedMessageIds.ofProtocols().forEach(id -> owned.activeMessages().handler(id, this::toProtocol));
        for (ProtocolFactory factory : factories) {
            if (factory.reservedId() != ProtocolFactory.NO_ID) {
                owned.activeMessages().placement(factory.reservedId(), factory.placement());
            }
        }
    }

    /** Sets what makes the protocols of new connections. */
    void protocols(List<ProtocolFactory> protocols) {
        factories = List.copyOf(protocols);
    }

    /** Registers a handler of the active messages of an id until the engine closes. */
    public void route(int id, Consumer<UcpActiveMessage> handler) {
        worker().activeMessages().handler(id, handler::accept);
    }

    void addConnecting(ConnectionCore connection) {
        connecting.add(connection);
    }

    void add(ConnectionCore connection) {
        connecting.remove(connection);
        UcpEndpoint endpoint = connection.carrier().endpoint();
        if (endpoint != null) {
            byEndpoint.put(endpoint, connection);
        }
        live.add(connection);
        ages.schedule();
    }

    void remove(ConnectionCore connection) {
        connecting.remove(connection);
        connection.termination().forgetPeerProcess();
        UcpEndpoint endpoint = connection.carrier().endpoint();
        if (endpoint != null) {
            byEndpoint.remove(endpoint, connection);
        }
        live.remove(connection);
        if (live.isEmpty()) {
            ages.stop();
        }
        // Messages that came before the end may still wait for demand.
        undelivered.removeIf(ended -> ended.protocols().isDelivered());
        if (!connection.protocols().isDelivered()) {
            undelivered.add(connection);
        }
    }

    /** Shows the operations of each connection to a visitor for its peer. */
    private void underWay(Function<String, OperationVisitor> visitors) {
        connections().forEach(connection -> connection.underWay(visitors.apply(connection.peer())));
    }

    boolean isEmpty() {
        return live.isEmpty();
    }

    /** Notices from now on how long operations take, for {@link #oldestOperation()}. Thread: any. */
    public void watchAges() {
        ages.enable();
    }

    /** Returns the operation that has been under way for longest, null for none. Thread: any. */
    public @Nullable UnderWay oldestOperation() {
        return ages.oldest();
    }

    /** Returns the connections whose carrier is attached, as they are now. Thread: any. */
    public List<ConnectionCore> connections() {
        return List.copyOf(live);
    }

    /**
     * Returns the connection of a message's reply endpoint, or null when the message has none, or the endpoint no
     * connection. Whether the message is that connection's is another question.
     */
    public @Nullable ConnectionCore connectionOf(UcpActiveMessage message) {
        UcpEndpoint from = message.replyEndpoint();
        return from == null ? null : byEndpoint.get(from);
    }

    public void acceptor(WorkerAddressAcceptor listener) {
        if (acceptor != null) {
            throw new IllegalStateException(
                    "acceptWorkerAddresses: another server of these resources accepts them already");
        }
        acceptor = listener;
    }

    public void removeAcceptor(WorkerAddressAcceptor listener) {
        if (acceptor == listener) {
            acceptor = null;
        }
    }

    /** The engine has closed, and its worker; or it has failed, and will close the worker. */
    public void engineClosed() {
        heartbeats.stop();
        List.copyOf(connecting).forEach(EngineConnections::engineClosed);
        connections().forEach(EngineConnections::engineClosed);
        List.copyOf(undelivered).forEach(EngineConnections::engineClosed);
        undelivered.clear();
        engineEnd.signal();
    }

    /** Ends one connection; what a subscriber throws does not keep the others from their end. */
    private static void engineClosed(ConnectionCore connection) {
        try {
            connection.engineClosed();
        } catch (Throwable t) {
            LOG.error("[{}] the end of the engine could not be signalled", connection.name(), t);
        }
    }

    /** Hands a message on a reserved id to its connection, and drops it unless that is established. */
    private void toProtocol(UcpActiveMessage message) {
        UcpWorker receiver = worker();
        ConnectionCore connection = connectionOf(message);
        if (connection == null) {
            dropUnreceived(message);
        } else if (!connection.isAuthentic(message, receiver)) {
            dropForeign(message);
        } else {
            connection.messageReceived();
            if (!connection.dispatch(message)) {
                dropUnreceived(message);
            }
        }
    }

    private void dropUnreceived(UcpActiveMessage message) {
        if (message.id() == ReservedMessageIds.RINGS) {
            // It has woken this engine for the ring of other connections, which is all that it was to do.
            release(message);
        } else {
            drop(message, DropReason.NO_RECEIVER);
        }
    }

    private void control(UcpActiveMessage message) {
        ConnectionCore connection = connectionOf(message);
        if (connection != null && !connection.isAuthentic(message, worker())) {
            dropForeign(message);
            return;
        }
        long frameBytes = message.length() - HeaderBuffer.TOKEN_BYTES;
        boolean fits = !message.isRendezvous() && frameBytes >= 0 && frameBytes <= ControlFrame.MAX_BYTES;
        ControlFrame frame = fits ? ControlFrame.parse(data(message).asSlice(HeaderBuffer.TOKEN_BYTES)) : null;
        if (frame == null) {
            dropGarbage(message);
            return;
        }
        WorkerAddressAcceptor listener = acceptor;
        if (connection != null) {
            connection.messageReceived();
            connection.received(frame);
        } else if (frame.type() == ControlFrame.Type.HELLO && frame.fields().has(ControlFields.Key.WORKER_ADDRESS)
                && listener != null) {
            listener.accept(this, frame);
        } else {
            LOG.debug("{} of an unknown peer dropped", frame.type());
        }
    }

    /** Returns the data of a small message, fetched where UCX has kept it. */
    public MemorySegment data(UcpActiveMessage message) {
        if (message.isInline()) {
            return message.payload();
        }
        MemorySegment copy = Arena.ofAuto().allocate(message.length());
        worker().activeMessages().fetch(message, copy, null, (status, length, tag) -> { });
        return copy;
    }

    /** Drops an active message, and counts it. */
    public void drop(UcpActiveMessage message, DropReason reason) {
        dropped(reason);
        LOG.debug("active message {} of {} bytes dropped: {}", message.id(), message.length(), reason);
        release(message);
    }

    /** Drops a message that does not carry the token of its connection, and counts it. */
    public void dropForeign(UcpActiveMessage message) {
        drop(message, DropReason.WRONG_TOKEN);
    }

    /** Drops a message that is no frame. It is counted, and only logged at DEBUG: a peer could fill the log. */
    public void dropGarbage(UcpActiveMessage message) {
        dropped(DropReason.GARBAGE);
        LOG.debug("{} bytes on the reserved active message {} are no frame of its protocol", message.length(),
                message.id());
        release(message);
    }

    private void release(UcpActiveMessage message) {
        if (!message.isInline() && worker().activeMessages().holds(message)) {
            if (message.isRendezvous()) {
                EngineCounter.add(droppedOffers, 1);
            }
            worker().activeMessages().release(message);
        }
    }

    /** Returns the large messages that belonged to no connection, or to none of their protocol. Thread: any. */
    public long droppedOffers() {
        return droppedOffers.getOpaque();
    }

    /** Counts a dropped active message. Thread: any. */
    public void dropped(DropReason reason) {
        dropped.incrementAndGet(reason.ordinal());
    }

    /** Counts and logs a failed handshake. Thread: any. */
    public void handshakeFailed(String peer, HandshakeFailure failure) {
        counters.rejected(failure.reason());
        rejections.rejected(peer, failure);
        FlightEvents.refused(peer, failure.reason().name().toLowerCase(Locale.ROOT), failure.detail());
    }

    /** Returns a new identity for a connection with a framework peer. Thread: any. */
    public ConnectionIdentity newIdentity() {
        return new ConnectionIdentity(address, networkAddress);
    }

    /** Returns what this side tells its peers about itself. */
    public PeerInfo ownInfo(ConnectionConfig config) {
        ProtocolConfig protocol = config.protocol();
        EncryptionOffer encryption = EncryptionOffer.of(protocol.encryption());
        return new PeerInfo(Ucx.version(), config.errorMode(), ByteOrder.nativeOrder(),
                protocol.limits().withMaxHeaderBytes(encryption.headerBytes(maxHeaderBytes))
                        .withMaxMessageBytes(Math.min(config.messages().maxMessageBytes(), maxLeaseBytes))
                        .withWindowBytes(config.messages().windowBytes()),
                (int) protocol.heartbeatInterval().toMillis(), workerId, ProcessIdentity.self(), true, locality,
                config.requirement(), encryption);
    }

    /** Makes the protocols of a connection. */
    ProtocolHandlers protocolsOf(ConnectionCore connection) {
        List<ProtocolHandler> made = new ArrayList<>(factories.size());
        List<Integer> reservedIds = new ArrayList<>(factories.size());
        for (ProtocolFactory factory : factories) {
            ProtocolHandler handler = factory.create(connection);
            if (handler != null) {
                made.add(handler);
                reservedIds.add(factory.reservedId());
            }
        }
        return new ProtocolHandlers(made, reservedIds);
    }

    public UcpWorker worker() {
        return Objects.requireNonNull(worker, "the engine has not started");
    }

    /** Returns a carrier for a connection to a peer of that name, whose endpoint is still to be made. */
    public EndpointCarrier newCarrier(String peer) {
        return Objects.requireNonNull(carriers, "the engine has not started").apply(peer);
    }

    /** Returns what is put over the endpoints of new connections. Thread: any. */
    public CarrierLayers layers() {
        return layers;
    }

    /** Returns the engine of UCX's own operations. */
    public ProgressEngine progressEngine() {
        return Objects.requireNonNull(progressEngine);
    }

    /** Returns the allocator of endpoints that lead to other workers by their addresses. */
    public EndpointAllocator endpoints() {
        return Objects.requireNonNull(endpoints, "the engine has not started");
    }

    /** Returns the peers whose TCP connections UCX gets. */
    public PeerAdmission admission() {
        return Objects.requireNonNull(admission, "the engine has not started");
    }

    public HeartbeatTimer heartbeats() {
        return heartbeats;
    }

    PeerProcesses processes() {
        return processes;
    }

    ResourceLimits limits() {
        return limits;
    }

    PeerCounters counters() {
        return counters;
    }

    /** Returns the signal that the engine has closed or failed. Thread: any. */
    public EndSignal engineEnd() {
        return engineEnd;
    }

    /** Returns the counts of lost and rejected peers. Thread: any. */
    public PeerStatistics peerStatistics() {
        Map<String, Long> byState = new HashMap<>(Map.of("connecting", 0L, "connected", 0L, "closing", 0L));
        Map<String, Long> byTransport = new HashMap<>(Map.of(ConnectionLog.MIXED, 0L));
        for (UcxTransportKind kind : UcxTransportKind.values()) {
            byTransport.put(kind.tag(), 0L);
        }
        for (ConnectionCore each : live) {
            ConnectionPhase phase = each.phase();
            byState.merge(phase.isConnecting() ? "connecting" : phase.isConnected() ? "connected" : "closing", 1L,
                    Long::sum);
            String taken = each.log().transport();
            if (taken != null) {
                byTransport.merge(taken, 1L, Long::sum);
            }
        }
        return counters.snapshot(byState, byTransport);
    }

    /** Returns the transports of the engine's context, as {@code transport/device}. Thread: any. */
    public List<String> transports() {
        return transports;
    }

    /** Returns the address of the worker for a peer. Thread: any. */
    public byte[] addressFor(Locality peer) {
        return locality.connectsOverNetwork(peer) ? networkAddress : address;
    }

    /** Returns why shared memory does not serve this engine and a peer, null if nothing is known. Thread: any. */
    public @Nullable String withoutSharedMemory(Locality peer) {
        return locality.withoutSharedMemory(peer);
    }

    public CommandExecutor engine() {
        return engine;
    }

    /** Thread: any. */
    public int openConnections() {
        return live.size();
    }

    /** Thread: any. */
    public long droppedMessages(DropReason reason) {
        return dropped.get(reason.ordinal());
    }
}
