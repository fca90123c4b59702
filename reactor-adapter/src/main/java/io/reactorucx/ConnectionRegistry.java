package io.reactorucx;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.ProgressEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one engine, and the way of each active message to one of them. On the engine's thread, counters aside.
 *
 * <p>A message names its connection by the reply endpoint, which framework peers always send along. One without it, from a raw peer, goes
 * to the one raw connection that receives its id; where several do, nobody can tell whose it is, and it is dropped and counted.
 */
final class ConnectionRegistry {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionRegistry.class);

    private final ProgressEngine engine;
    private final MemoryWindows windows;
    private final UcxBufferPool buffers;
    private final MessageCounters messages = new MessageCounters();
    private final MessageBatches batches = new MessageBatches();
    private final PeerRooms rooms = new PeerRooms();
    private final Map<UcpEndpoint, ConnectionCore> byEndpoint = new IdentityHashMap<>();
    private final Set<ConnectionCore> undelivered = new HashSet<>();
    private final Set<Integer> receivedIds = new HashSet<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLongArray dropped = new AtomicLongArray(DropReason.values().length);
    private final long workerId = new SecureRandom().nextLong();
    private final PeerCounters counters = new PeerCounters();
    private final RefusalLog refusals = new RefusalLog();
    private final Heartbeats heartbeats;
    private final Leaks leaks;
    private final IdleEndpoints idle;
    private @Nullable UcpWorker worker;
    private @Nullable PairingTable pairings;
    private volatile byte[] address = new byte[0];
    private @Nullable WorkerAddressAcceptor acceptor;

    ConnectionRegistry(ProgressEngine engine, UcxBufferPool buffers, Leaks leaks, MemoryWindows windows, IdleEndpoints idle) {
        this.idle = idle;
        this.engine = engine;
        this.heartbeats = new Heartbeats(engine);
        this.buffers = buffers;
        this.leaks = leaks;
        this.windows = windows;
    }

    /** Told of peers that connect by worker address. */
    @FunctionalInterface
    interface WorkerAddressAcceptor {

        void accept(ConnectionRegistry registry, ControlFrame hello);
    }

    /** Takes the worker over; the first thing that runs on the engine. */
    void start(UcpWorker owned) {
        worker = owned;
        address = owned.address();
        pairings = new PairingTable(new EndpointPairs(engine, owned, address, idle));
        owned.activeMessageHandler(ReservedIds.CONTROL, this::control);
        owned.activeMessageHandler(ReservedIds.MESSAGES, this::framework);
        owned.activeMessageHandler(ReservedIds.MEMORY, this::framework);
        owned.activeMessageHandler(ReservedIds.PAIRING, this::pairing);
    }

    void add(ConnectionCore connection, UcpEndpoint endpoint) {
        byEndpoint.put(endpoint, connection);
        open.incrementAndGet();
    }

    void remove(ConnectionCore connection, @Nullable UcpEndpoint endpoint) {
        if (endpoint != null && byEndpoint.remove(endpoint, connection)) {
            open.decrementAndGet();
        }
        // What came before the end may still wait to be asked for.
        undelivered.removeIf(ConnectionCore::isDelivered);
        if (!connection.isDelivered()) {
            undelivered.add(connection);
        }
    }

    List<ConnectionCore> connections() {
        return List.copyOf(byEndpoint.values());
    }

    void acceptor(WorkerAddressAcceptor listener) {
        if (acceptor != null) {
            throw new IllegalStateException("acceptWorkerAddresses: another server of these resources does so already");
        }
        acceptor = listener;
    }

    void removeAcceptor(WorkerAddressAcceptor listener) {
        if (acceptor == listener) {
            acceptor = null;
        }
    }

    /** The engine has ended, with its worker. */
    void engineClosed() {
        heartbeats.stop();
        connections().forEach(ConnectionCore::engineClosed);
        List.copyOf(undelivered).forEach(ConnectionCore::engineClosed);
        undelivered.clear();
    }

    /** Makes UCX deliver an id; it stays so, since UCX complains aloud of messages that nobody takes. */
    void receive(int id) {
        if (receivedIds.add(id)) {
            worker().activeMessageHandler(id, this::dispatch);
        }
    }

    private void dispatch(UcpActiveMessage message) {
        UcpEndpoint from = message.replyEndpoint();
        ConnectionCore connection = from == null ? onlyReceiver(message.id()) : byEndpoint.get(from);
        heard(connection);
        DropReason refusal = connection == null ? DropReason.NO_RECEIVER : connection.receivers().offer(message);
        if (refusal != null) {
            drop(message, refusal);
        }
    }

    /** A message on a reserved id: of a peer whose handshake is done, or nobody's. */
    private void framework(UcpActiveMessage message) {
        UcpEndpoint from = message.replyEndpoint();
        ConnectionCore connection = from == null ? null : byEndpoint.get(from);
        heard(connection);
        if (connection == null || !connection.offer(message)) {
            drop(message, DropReason.NO_RECEIVER);
        }
    }

    private static void heard(@Nullable ConnectionCore connection) {
        if (connection != null) {
            connection.heartbeat.heard();
        }
    }

    private void pairing(UcpActiveMessage message) {
        boolean frame = !message.isRendezvous() && message.length() <= PairingFrame.MAX_BYTES;
        if (!frame || !pairings().received(data(message).toArray(ValueLayout.JAVA_BYTE), message)) {
            dropped(DropReason.GARBAGE);
            LOG.debug("{} bytes on the reserved active message {} belong to no connection that is being made", message.length(),
                    ReservedIds.PAIRING);
            if (!message.isInline() && worker().holds(message)) {
                worker().release(message);
            }
        }
    }

    private void drop(UcpActiveMessage message, DropReason reason) {
        dropped(reason);
        LOG.debug("active message {} of {} bytes dropped: {}", message.id(), message.length(), reason);
        if (!message.isInline()) {
            worker().release(message);
        }
    }

    private MemorySegment data(UcpActiveMessage message) {
        if (message.isInline()) {
            return message.payload();
        }
        MemorySegment copy = Arena.ofAuto().allocate(message.length());
        worker().fetch(message, copy, null, (status, length, tag) -> { });
        return copy;
    }

    private @Nullable ConnectionCore onlyReceiver(int id) {
        ConnectionCore only = null;
        for (ConnectionCore connection : byEndpoint.values()) {
            if (connection.config().raw() && connection.receivers().has(id)) {
                if (only != null) {
                    return null;
                }
                only = connection;
            }
        }
        return only;
    }

    private void control(UcpActiveMessage message) {
        ControlFrame frame = message.isRendezvous() || message.length() > ControlFrame.MAX_BYTES ? null : ControlFrame.parse(data(message));
        if (!message.isInline() && worker().holds(message)) {
            worker().release(message);
        }
        if (frame == null) {
            // Counted, and not told aloud each time: whoever sends such things would fill the log.
            dropped(DropReason.GARBAGE);
            LOG.debug("{} bytes on the reserved active message {} are no control frame", message.length(), ReservedIds.CONTROL);
            return;
        }
        UcpEndpoint from = message.replyEndpoint();
        ConnectionCore connection = from == null ? null : byEndpoint.get(from);
        WorkerAddressAcceptor listener = acceptor;
        heard(connection);
        if (connection != null) {
            connection.control(frame);
        } else if (frame.type() == ControlFrame.Type.HELLO && frame.fields().has(ControlFields.Key.WORKER_ADDRESS) && listener != null) {
            listener.accept(this, frame);
        } else {
            LOG.debug("{} of an unknown peer dropped", frame.type());
        }
    }

    UcpWorker worker() {
        return Objects.requireNonNull(worker, "the engine has not started");
    }

    /** What peers know the worker by: random, and the same for all of its connections. */
    long workerId() {
        return workerId;
    }

    Heartbeats heartbeats() {
        return heartbeats;
    }

    PeerCounters counters() {
        return counters;
    }

    /** Counts and tells of a handshake that came to nothing. Any thread. */
    void refused(String peer, HandshakeFailure failure) {
        counters.refused(failure.reason());
        refusals.refused(peer, failure);
    }

    PairingTable pairings() {
        return Objects.requireNonNull(pairings, "the engine has not started");
    }

    /** Address of the worker; any thread. */
    byte[] address() {
        return address;
    }

    UcxBufferPool buffers() {
        return buffers;
    }

    MessageBatches batches() {
        return batches;
    }

    PeerRooms rooms() {
        return rooms;
    }

    /** What became of flow-controlled messages. Any thread. */
    MessageCounters messages() {
        return messages;
    }

    ProgressEngine engine() {
        return engine;
    }

    MemoryWindows windows() {
        return windows;
    }

    int openConnections() {
        return open.get();
    }

    /** Counts an active message that is dropped. */
    void dropped(DropReason reason) {
        dropped.incrementAndGet(reason.ordinal());
    }

    long droppedMessages(DropReason reason) {
        return dropped.get(reason.ordinal());
    }

    Leaks leaks() {
        return leaks;
    }
}
