package io.reactorucx.internal.connection;

import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.connection.PeerCounters;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.buffer.LeakReporter;
import io.reactorucx.internal.connect.PendingBindings;
import io.reactorucx.internal.endpoint.EndpointAllocator;
import io.reactorucx.internal.endpoint.IdleEndpointLimit;
import io.reactorucx.internal.frame.ControlFields;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.frame.BindFrame;
import io.reactorucx.internal.frame.ReservedMessageIds;
import io.reactorucx.internal.handshake.HandshakeFailure;
import io.reactorucx.internal.handshake.RejectionLog;
import io.reactorucx.internal.memory.WindowRegistry;
import io.reactorucx.internal.message.MessageBatchPool;
import io.reactorucx.internal.message.SharedSendWindows;
import io.reactorucx.message.DropReason;
import io.reactorucx.message.MessageCounters;
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
 * The connections of one engine, and the way of each active message to one of them. On the engine's thread, counters
 * aside.
 *
 * <p>A message names its connection by the reply endpoint, which framework peers always send along. One without it,
 * from a raw peer, goes to the one raw connection that receives its id; where several do, nobody can tell whose it is,
 * and it is dropped and counted.
 */
public final class EngineConnections {

    private static final Logger LOG = LoggerFactory.getLogger(EngineConnections.class);

    private final ProgressEngine engine;
    private final WindowRegistry windows;
    private final UcxBufferPool buffers;
    private final MessageCounters messages = new MessageCounters();
    private final MessageBatchPool batches = new MessageBatchPool();
    private final SharedSendWindows rooms = new SharedSendWindows();
    private final Map<UcpEndpoint, ConnectionCore> byEndpoint = new IdentityHashMap<>();
    private final Set<ConnectionCore> undelivered = new HashSet<>();
    private final Set<Integer> receivedIds = new HashSet<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLongArray dropped = new AtomicLongArray(DropReason.values().length);
    private final long workerId = new SecureRandom().nextLong();
    private final PeerCounters counters = new PeerCounters();
    private final RejectionLog refusals = new RejectionLog();
    private final HeartbeatTimer heartbeats;
    private final LeakReporter leaks;
    private final IdleEndpointLimit idle;
    private @Nullable UcpWorker worker;
    private @Nullable PendingBindings pairings;
    private volatile byte[] address = new byte[0];
    private @Nullable WorkerAddressAcceptor acceptor;

    public EngineConnections(ProgressEngine engine, UcxBufferPool buffers, LeakReporter leaks, WindowRegistry windows,
            IdleEndpointLimit idle) {
        this.idle = idle;
        this.engine = engine;
        this.heartbeats = new HeartbeatTimer(engine);
        this.buffers = buffers;
        this.leaks = leaks;
        this.windows = windows;
    }

    /** Told of peers that connect by worker address. */
    @FunctionalInterface
    public interface WorkerAddressAcceptor {

        void accept(EngineConnections registry, ControlFrame hello);
    }

    /** Takes the worker over; the first thing that runs on the engine. */
    public void start(UcpWorker owned) {
        worker = owned;
        address = owned.address();
        pairings = new PendingBindings(new EndpointAllocator(engine, owned, address, idle));
        owned.activeMessageHandler(ReservedMessageIds.CONTROL, this::control);
        owned.activeMessageHandler(ReservedMessageIds.MESSAGES, this::framework);
        owned.activeMessageHandler(ReservedMessageIds.MEMORY, this::framework);
        owned.activeMessageHandler(ReservedMessageIds.PAIRING, this::pairing);
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

    public List<ConnectionCore> connections() {
        return List.copyOf(byEndpoint.values());
    }

    public void acceptor(WorkerAddressAcceptor listener) {
        if (acceptor != null) {
            throw new IllegalStateException("acceptWorkerAddresses: another server of these resources does so already");
        }
        acceptor = listener;
    }

    public void removeAcceptor(WorkerAddressAcceptor listener) {
        if (acceptor == listener) {
            acceptor = null;
        }
    }

    /** The engine has ended, with its worker. */
    public void engineClosed() {
        heartbeats.stop();
        connections().forEach(ConnectionCore::engineClosed);
        List.copyOf(undelivered).forEach(ConnectionCore::engineClosed);
        undelivered.clear();
    }

    /** Makes UCX deliver an id; it stays so, since UCX complains aloud of messages that nobody takes. */
    public void receive(int id) {
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
        boolean frame = !message.isRendezvous() && message.length() <= BindFrame.MAX_BYTES;
        if (!frame || !pairings().received(data(message).toArray(ValueLayout.JAVA_BYTE), message)) {
            dropped(DropReason.GARBAGE);
            LOG.debug("{} bytes on the reserved active message {} belong to no connection that is being made",
                    message.length(),
                    ReservedMessageIds.PAIRING);
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
        ControlFrame frame = message.isRendezvous() || message.length() > ControlFrame.MAX_BYTES ? null
                : ControlFrame.parse(data(message));
        if (!message.isInline() && worker().holds(message)) {
            worker().release(message);
        }
        if (frame == null) {
            // Counted, and not told aloud each time: whoever sends such things would fill the log.
            dropped(DropReason.GARBAGE);
            LOG.debug("{} bytes on the reserved active message {} are no control frame", message.length(),
                    ReservedMessageIds.CONTROL);
            return;
        }
        UcpEndpoint from = message.replyEndpoint();
        ConnectionCore connection = from == null ? null : byEndpoint.get(from);
        WorkerAddressAcceptor listener = acceptor;
        heard(connection);
        if (connection != null) {
            connection.control(frame);
        } else if (frame.type() == ControlFrame.Type.HELLO && frame.fields().has(ControlFields.Key.WORKER_ADDRESS)
                && listener != null) {
            listener.accept(this, frame);
        } else {
            LOG.debug("{} of an unknown peer dropped", frame.type());
        }
    }

    public UcpWorker worker() {
        return Objects.requireNonNull(worker, "the engine has not started");
    }

    /** What peers know the worker by: random, and the same for all of its connections. */
    public long workerId() {
        return workerId;
    }

    public HeartbeatTimer heartbeats() {
        return heartbeats;
    }

    public PeerCounters counters() {
        return counters;
    }

    /** Counts and tells of a handshake that came to nothing. Any thread. */
    public void refused(String peer, HandshakeFailure failure) {
        counters.refused(failure.reason());
        refusals.refused(peer, failure);
    }

    public PendingBindings pairings() {
        return Objects.requireNonNull(pairings, "the engine has not started");
    }

    /** Address of the worker; any thread. */
    public byte[] address() {
        return address;
    }

    public UcxBufferPool buffers() {
        return buffers;
    }

    public MessageBatchPool batches() {
        return batches;
    }

    public SharedSendWindows rooms() {
        return rooms;
    }

    /** What became of flow-controlled messages. Any thread. */
    public MessageCounters messages() {
        return messages;
    }

    public ProgressEngine engine() {
        return engine;
    }

    public WindowRegistry windows() {
        return windows;
    }

    public int openConnections() {
        return open.get();
    }

    /** Counts an active message that is dropped. */
    public void dropped(DropReason reason) {
        dropped.incrementAndGet(reason.ordinal());
    }

    public long droppedMessages(DropReason reason) {
        return dropped.get(reason.ordinal());
    }

    public LeakReporter leaks() {
        return leaks;
    }
}
