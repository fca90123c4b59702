package io.reactorucx.internal.message.simulation;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.message.CarriedMessages;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.request.ResponderDispatcher;
import io.reactorucx.message.MessageStatistics;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.config.PeerLimits;
import io.reactorucx.transport.config.ProtocolConfig;
import io.reactorucx.transport.config.TransportRequirement;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ConnectionPhase;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.connection.SimulatedConnections;
import io.reactorucx.transport.handshake.EncryptionOffer;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.Locality;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.ResourceLimits;
import io.reactorucx.transport.ring.SimulatedRings;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One side of a simulated connection with its application: sends, receivers, requests and a responder. */
final class SimulatedSide implements UcxResponder {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final Locality LOCALITY = new Locality(0, 0, 0, 0, true, true, true);

    private final Simulation simulation;
    private final SimulatedEngine engine;
    private final FlowControlConfig limits;
    private final LeasePool pool;
    private final LeasePool memory;
    private final CarriedMessages messages;
    private final SimulatedConnections connections;
    private final ConnectionIdentity identity;
    private final SimulatedCarrier carrier;
    private final SimulatedSocket socket;
    private final ConnectionCore connection;
    private final Map<Integer, SimulatedSend> sends = new HashMap<>();
    private final Map<Integer, SimulatedRequest> requests = new HashMap<>();
    private final List<SimulatedReceiver<?>> receivers = new ArrayList<>();
    private final SimulatedRings rings;
    private MessageProtocol protocol;
    private boolean pollDue;
    private SimulatedSide other;
    private int ends;

    SimulatedSide(Simulation simulation, String name, CarrierSettings settings, FlowControlConfig limits,
            LeasePool memory, LeasePool application, long ringMemory) {
        this.simulation = simulation;
        this.engine = new SimulatedEngine(simulation, name);
        this.limits = limits;
        this.pool = application;
        this.memory = memory;
        this.messages = new CarriedMessages(memory, simulation.one(1, 4, 64));
        ResourceLimits resources = ResourceLimits.of(8, 8, 8, 0, 1);
        this.rings = new SimulatedRings(engine, settings.slots(), ringMemory);
        this.connections = new SimulatedConnections(engine, resources, List.of(rings::handler, connection -> {
            protocol = messages.over(connection, limits);
            return settings.fault() == CarrierFault.FIN_OVERTAKES ? quiet(protocol) : protocol;
        }));
        this.identity = connections.connections().newIdentity();
        this.carrier = new SimulatedCarrier(simulation, name, engine, settings, resources, this::interruptSends);
        engine.whenAwake(rings::wake);
        this.socket = new SimulatedSocket(simulation);
        ConnectionConfig config = ConnectionConfig.DEFAULT.withMessages(limits).withCloseTimeout(CLOSE_TIMEOUT)
                .withProtocol(ProtocolConfig.DEFAULT.withHeartbeatInterval(settings.heartbeat()));
        this.connection = new ConnectionCore(connections.connections(), config, "peer of " + name, identity,
                checked(rings.over(carrier)));
        connection.end().listen(() -> simulation.check(++ends == 1, this + " ends twice"));
    }

    void connect(SimulatedSide peer) {
        other = peer;
        carrier.connect(peer.carrier, connection, protocol, rings);
        socket.connect(connection, peer.socket);
    }

    /** Returns a carrier whose batches are checked, whichever way they take. */
    private Carrier checked(Carrier over) {
        return (Carrier) Proxy.newProxyInstance(Carrier.class.getClassLoader(), new Class<?>[] {Carrier.class},
                (proxy, method, arguments) -> {
                    byte[] batch = batchOf(method.getName(), arguments);
                    try {
                        Object result = method.invoke(over, arguments);
                        if (batch != null && (result.equals(true) || !method.getName().equals("sendNow"))) {
                            carrier.sent(batch);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static byte[] batchOf(String method, Object[] arguments) {
        return switch (method) {
            case "send" -> arguments[4] == AmProtocol.EAGER
                    ? ((MemorySegment) arguments[2]).toArray(ValueLayout.JAVA_BYTE) : null;
            case "sendNow" -> Arrays.copyOf((byte[]) arguments[1], (int) arguments[2]);
            default -> null;
        };
    }

    /** Has the engine poll its rings if that finds something, else perhaps sleep. */
    void pollRings() {
        if (engine.isClosed() || engine.hasEnded()) {
            return;
        }
        if (rings.hasWork() && !pollDue) {
            pollDue = true;
            simulation.soon(() -> {
                pollDue = false;
                engine.run(rings::poll);
            });
        } else if (!rings.isAsleep() && simulation.chance(0.2)) {
            rings.park();
        }
    }

    /** Returns a protocol that says that it has nothing to wait for, although it has. */
    private static ProtocolHandler quiet(ProtocolHandler protocol) {
        return (ProtocolHandler) Proxy.newProxyInstance(ProtocolHandler.class.getClassLoader(),
                new Class<?>[] {ProtocolHandler.class}, (proxy, method, arguments) ->
                        method.getName().equals("isQuiet") ? true : method.invoke(protocol, arguments));
    }

    /** Returns what this side tells the other one about itself. */
    PeerInfo info() {
        return new PeerInfo(new UcxVersion(1, 20, 0), ErrorMode.PEER, ByteOrder.nativeOrder(),
                new PeerLimits(0, protocol.context().maxMessageBytes(), limits.maxStreams(), limits.windowBytes()),
                (int) connection.config().protocol().heartbeatInterval().toMillis(),
                toString().hashCode(), ProcessIdentity.self(), true, LOCALITY, TransportRequirement.ANY,
                EncryptionOffer.NONE);
    }

    Simulation simulation() {
        return simulation;
    }

    SimulatedEngine engine() {
        return engine;
    }

    MessageProtocol protocol() {
        return protocol;
    }

    ConnectionIdentity identity() {
        return identity;
    }

    SimulatedCarrier carrier() {
        return carrier;
    }

    SimulatedSocket socket() {
        return socket;
    }

    ConnectionCore connection() {
        return connection;
    }

    /** The process is stopped, and goes on no more. */
    void stop() {
        simulation.note(this + " is stopped");
        engine.end();
    }

    /** The engine closes, with all that it has. */
    void closeEngine() {
        simulation.note(this + " closes its engine");
        engine.run(() -> {
            engine.close();
            carrier.workerClosed();
            connections.connections().engineClosed();
            rings.close();
            engine.end();
        });
    }

    SimulatedRings rings() {
        return rings;
    }

    FlowControlConfig limits() {
        return limits;
    }

    /** Returns the application's pool. */
    LeasePool pool() {
        return pool;
    }

    SimulatedSide other() {
        return other;
    }

    boolean isOpen() {
        return connection.phase() == ConnectionPhase.CONNECTED && !engine.isClosed();
    }

    /** Returns a size: mostly small, now and then around the limit of what goes into a batch, or above. */
    int size() {
        int inline = limits.rendezvousBytes();
        return switch (simulation.below(10)) {
            case 0, 1, 2, 3, 4, 5 -> Content.MIN_BYTES + simulation.below(40);
            case 6 -> Math.max(Content.MIN_BYTES, inline - 20 + simulation.below(40));
            case 7 -> Content.MIN_BYTES + simulation.below(Math.max(1, inline));
            default -> Math.max(Content.MIN_BYTES, inline) + 1 + simulation.below(20_000);
        };
    }

    UcxBuffer lease(int sender, int number) {
        byte[] bytes = Content.of(sender, number, size());
        UcxBuffer lease = pool.acquire(bytes.length, null);
        MemorySegment.copy(bytes, 0, lease.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        simulation.track(lease, "response " + number + " to request " + sender);
        return lease;
    }

    void respond() {
        ResponderDispatcher.mono(protocol, this, null, error -> { }).subscribe(ignored -> { },
                error -> simulation.note("the responder of " + this + " fails: " + error.getMessage()));
    }

    SimulatedSend send(int id) {
        return sends.get(id);
    }

    /** Begins a send at some time within a span. */
    void sendWithin(long nanos, int id) {
        SimulatedSend send = new SimulatedSend(this, id);
        sends.put(id, send);
        simulation.after(time(nanos), () -> engine.runAnywhere(send::start));
    }

    void requestWithin(long nanos, int id) {
        SimulatedRequest request = new SimulatedRequest(this, id);
        requests.put(id, request);
        simulation.after(time(nanos), () -> engine.runAnywhere(request::start));
    }

    void receiveWithin(long nanos) {
        simulation.after(time(nanos), () -> engine.runAnywhere(this::receive));
    }

    /** Takes all slabs that have no lease, for a while. */
    void lackMemoryWithin(long nanos) {
        simulation.after(time(nanos), () -> {
            List<UcxBuffer> taken = new ArrayList<>();
            try {
                while (true) {
                    taken.add(memory.acquire(BufferPool.SLAB_BYTES, null));
                }
            } catch (UcxException e) {
                simulation.note(this + " has no memory but in " + (memory.leases() - taken.size()) + " leases");
            }
            simulation.after(time(nanos), () -> taken.forEach(UcxBuffer::release));
        });
    }

    private long time(long nanos) {
        return simulation.below((int) nanos);
    }

    /** Adds a receiver, unless there is one. */
    void receive() {
        if (receivers.stream().noneMatch(SimulatedReceiver::isActive)) {
            SimulatedReceiver<?> receiver = simulation.chance(0.5)
                    ? new SimulatedReceiver<>(this, EncodedMessage::lease)
                    : new SimulatedReceiver<>(this, EncodedMessage::toByteArray);
            receivers.add(receiver);
            receiver.start();
        }
    }

    void leaveWithin(long nanos) {
        simulation.after(time(nanos), () -> engine.runAnywhere(() -> receivers.forEach(SimulatedReceiver::leave)));
    }

    /** The peer's receiver has left, or its leaving has come here. */
    void interruptSends() {
        sends.values().forEach(SimulatedSend::interrupt);
    }

    /** From now on everything has demand, and the default stream a receiver. */
    void hurry() {
        engine.runAnywhere(() -> {
            if (isOpen()) {
                receive();
            }
            List.copyOf(receivers).forEach(SimulatedReceiver::hurry);
            List.copyOf(requests.values()).forEach(SimulatedRequest::hurry);
        });
    }

    boolean hasReceiver() {
        return receivers.stream().anyMatch(SimulatedReceiver::isActive);
    }

    @Override
    public Mono<Void> fireAndForget(UcxBuffer request) {
        return taken(request).answers(this, 0).then();
    }

    @Override
    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        return taken(request).answerOnce(this);
    }

    @Override
    public Flux<UcxBuffer> requestStream(UcxBuffer request) {
        SimulatedRequest asked = taken(request);
        return asked.answers(this, asked.responses());
    }

    @Override
    public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> received) {
        return received;
    }

    private SimulatedRequest taken(UcxBuffer request) {
        simulation.track(request, "a request at the responder of " + this);
        byte[] bytes = Content.bytes(request);
        simulation.check(Content.isIntact(bytes), "the responder of " + this + " gets a request that is not intact");
        simulation.check(engine.isEngineThread(), "the responder of " + this + " is called on another thread");
        if (simulation.chance(0.3)) {
            simulation.soon(request::release);
        } else {
            request.release();
        }
        return other.requests.get(Content.sender(bytes));
    }

    /** Nothing happens any more, both sides are open, and everything has demand. */
    void checkAtRest() {
        boolean limited = requests.values().stream().anyMatch(SimulatedRequest::staysOpen);
        sends.values().forEach(SimulatedSend::checkAtRest);
        requests.values().forEach(request -> request.checkAtRest(limited));
        MessageStatistics now = messages.statistics();
        simulation.note(this + " has leased " + memory.leasedBytes() + " of " + memory.maxBytes() + " bytes, "
                + memory.waiters() + " wait, holds " + now.bufferedBytes());
        simulation.check(now.bufferedBytes() == 0, this + " holds " + now.bufferedBytes() + " bytes at rest");
    }

    /** The connection has ended on both sides. */
    void checkAtEnd() {
        if (engine.hasEnded() && !engine.isClosed()) {
            return;
        }
        // What came between the leaving of one and the arrival of the next is lost, and no error of the latter.
        boolean received = !other.receivers.isEmpty() && other.receivers.getLast().hasCompleted()
                && other.receivers.stream().noneMatch(SimulatedReceiver::hasLeft);
        sends.values().forEach(send -> send.checkAtEnd(received));
        requests.values().forEach(SimulatedRequest::checkAtEnd);
        receivers.forEach(SimulatedReceiver::checkAtEnd);
        boolean neverKnown = engine.isClosed() && connection.phase() == ConnectionPhase.CONNECTING;
        simulation.check(connection.phase() == ConnectionPhase.CLOSED || neverKnown,
                this + " has not ended: " + connection.phase());
        simulation.check(ends == 1 || neverKnown, this + " has not told its end");
        zero(connections.connections().openConnections(), "connections");
        MessageStatistics now = messages.statistics();
        zero(now.openStreams(), "open streams");
        zero(now.sendCredit(), "messages of credit");
        zero(now.waitingRequests(), "requests that wait");
        zero(now.creditWaiters(), "sends that wait for credit");
        zero(now.bufferedBytes(), "bytes that wait");
        zero(now.violations(), "violations of the protocol");
        zero(messages.windows(), "windows that were not left");
        zero(pool.leases() + memory.leases(), "leases, of those of the application " + simulation.unreleased());
        zero(memory.waiters(), "that wait for memory");
    }

    private void zero(long count, String what) {
        simulation.check(count == 0, this + " is left with " + count + " " + what);
    }

    @Override
    public String toString() {
        return engine.toString();
    }
}
