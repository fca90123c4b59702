package io.reactorucx.internal.message.simulation;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.message.simulation.CarriedFrames.Frame;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.carrier.EndpointRelease;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.SimulatedConnections;
import io.reactorucx.transport.endpoint.PeerProcess;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.ResourceLimits;
import io.reactorucx.transport.ring.SimulatedRings;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One side's end of a carrier in memory. Small messages and control frames keep their order, large messages overtake
 * and are overtaken. The memory of a message is read when the message leaves, or when it is fetched, and free when its
 * end was told.
 */
final class SimulatedCarrier implements Carrier {

    private static final double FAULT = 0.1;
    private static final byte LENT = (byte) 0xEE;
    private static final int TOKEN_BYTES = Long.BYTES;
    private static final int MAX_HEADER_BYTES = 4_096;
    /** So late comes what is later than a connection waits for it when it closes. */
    private static final long LATE_NANOS = 3_000_000_000L;
    /** So much longer messages take where one is to overtake another one. */
    private static final long SLOWER_NANOS = 500_000;

    /** What an operation waits for. Each kind has slots of its own, as those of an engine. */
    private enum Kind { ROOM, PEER, DATA, CONTROL }

    /** The way to the peer, which is closed once. */
    private enum State { UNATTACHED, USABLE, FAILED, CLOSED }

    /** An operation whose end is to be told, once. */
    final class Pending {

        private final Kind kind;
        private final Completion whenDone;

        private Pending(Kind kind, Completion whenDone) {
            this.kind = kind;
            this.whenDone = whenDone;
            pending.add(this);
        }

        boolean isOpen() {
            return pending.contains(this);
        }

        void end(int status) {
            if (pending.remove(this)) {
                engine.run(() -> whenDone.complete(status, 0, 0));
            }
        }
    }

    private final Simulation simulation;
    private final String name;
    private final SimulatedEngine engine;
    private final CarrierSettings settings;
    private final ResourceLimits limits;
    private final SimulatedWay way = new SimulatedWay(this);
    private final CarriedFrames frames;
    private final Set<Pending> pending = new LinkedHashSet<>();
    private final BatchFaults batches = new BatchFaults(this);
    private SimulatedCarrier other;
    private ConnectionCore connection;
    private MessageProtocol protocol;
    private SimulatedRings rings;
    private EndpointRelease release;
    private State state = State.UNATTACHED;
    private boolean closedByForce;
    private long lastArrival;
    /** When the peer hears of the last message that this side has fetched or released. */
    private long lastOfferEnd;

    SimulatedCarrier(Simulation simulation, String name, SimulatedEngine engine, CarrierSettings settings,
            ResourceLimits limits, Runnable whenReset) {
        this.simulation = simulation;
        this.name = name;
        this.engine = engine;
        this.settings = settings;
        this.limits = limits;
        this.frames = new CarriedFrames(simulation, name, whenReset);
    }

    void connect(SimulatedCarrier peer, ConnectionCore owner, MessageProtocol messages, SimulatedRings own) {
        rings = own;
        other = peer;
        connection = owner;
        protocol = messages;
        frames.connect(peer.frames);
    }

    void attach(Consumer<ControlFrame> socket) {
        state = State.USABLE;
        release = settings.hasSocket() ? new EndpointRelease(way, socket) : null;
    }

    /** The ends of both sides are a pair. */
    void paired() {
        if (release != null) {
            release.paired();
        }
    }

    /** The way fails, as when the peer has closed its end of it. */
    void fail() {
        if (state == State.USABLE) {
            state = State.FAILED;
            simulation.note(name + " loses its peer");
            abort();
            connection.endpointFailed(null, UcxStatus.CONNECTION_RESET.code());
        }
    }

    @Override
    public UcpEndpoint endpoint() {
        return null;
    }

    @Override
    public boolean isAttached() {
        return state != State.UNATTACHED;
    }

    @Override
    public boolean isUsable() {
        return state == State.USABLE;
    }

    @Override
    public boolean hasFailed() {
        return state == State.FAILED;
    }

    @Override
    public List<String> transports() {
        return List.of("simulation/memory");
    }

    @Override
    public boolean sharesQueue() {
        return isUsable() && settings.sharesQueue();
    }

    @Override
    public int maxHeaderBytes() {
        return MAX_HEADER_BYTES;
    }

    @Override
    public boolean send(int reservedId, MemorySegment header, MemorySegment payload, UcpMemory registration,
            AmProtocol how, Completion whenDone) {
        simulation.check(engine.isEngineThread(), name + " sends on another thread");
        requireRoom("am_send", how == AmProtocol.EAGER ? Kind.ROOM : Kind.PEER);
        return how == AmProtocol.EAGER ? sendSmall(payload.toArray(ValueLayout.JAVA_BYTE), whenDone)
                : offer(header.toArray(ValueLayout.JAVA_BYTE), payload, whenDone);
    }

    private void requireRoom(String operation, Kind kind) {
        if (!isUsable()) {
            throw new UcxException(UcxStatus.CONNECTION_RESET, operation, name, "the way has ended");
        }
        boolean full = pending.stream().filter(other -> other.kind == kind).count() >= settings.slots();
        if (full || simulation.chance(settings.refusals())) {
            simulation.note(name + ": no slot for " + operation);
            throw new UcxException(UcxStatus.BUSY, operation, name, "no slot");
        }
    }

    /** A batch was sent, over a ring or over this carrier. */
    void sent(byte[] batch) {
        frames.sent(batch);
    }

    private boolean sendSmall(byte[] bytes, Completion whenDone) {
        List<Frame> content = CarriedFrames.of(bytes);
        simulation.note(name + " sends batch " + MessageFrameCodec.sequence(bytes) + ", frames "
                + content.stream().map(frame -> frame.type() + "@" + frame.stream()).toList());
        batches.send(bytes, content);
        return doneLater(Kind.ROOM, whenDone, CarrierFault.LOST_COMPLETION);
    }

    /** Ends an operation at once, or a little later, or with a fault never. Returns whether at once. */
    private boolean doneLater(Kind kind, Completion whenDone, CarrierFault lost) {
        if (simulation.chance(0.6)) {
            return true;
        }
        Pending operation = new Pending(kind, whenDone);
        if (!fault(lost)) {
            simulation.soon(() -> operation.end(0));
        }
        return false;
    }

    @Override
    public boolean sendNow(int reservedId, byte[] bytes, int size) {
        return false;
    }

    @Override
    public boolean checkSend(int reservedId, MemorySegment header, MemorySegment payload, UcpMemory registration) {
        if (!isUsable()) {
            throw new UcxException(UcxStatus.CONNECTION_RESET, "am_send", name, "the way has ended");
        }
        return simulation.chance(0.5);
    }

    /** A batch has come over a ring. */
    @Override
    public void arrived(int reservedId, DataPlacement.Source source, long offset, int headerBytes, int payloadBytes) {
        simulation.check(engine.isEngineThread(), name + " reads its ring on another thread");
        simulation.check(reservedId == ReservedMessageIds.MESSAGES && headerBytes == 0, "message " + reservedId
                + " with a header of " + headerBytes + " bytes came over a ring");
        byte[] bytes = new byte[payloadBytes];
        source.copyTo(offset, bytes, payloadBytes);
        simulation.note(name + " reads batch " + MessageFrameCodec.sequence(bytes) + " from its ring");
        if (!other.fault(CarrierFault.LOST_BATCH)) {
            take(bytes);
        }
        if (other.fault(CarrierFault.DUPLICATED_BATCH)) {
            take(bytes);
        }
    }

    /** Hands a batch to the protocol, in an array that is lent. */
    private void take(byte[] bytes) {
        if (isUsable() && SimulatedConnections.messageArrived(connection)) {
            byte[] lent = Arrays.copyOf(bytes, bytes.length + simulation.below(2));
            protocol.received(lent, bytes.length);
            Arrays.fill(lent, LENT);
        }
    }

    /** A frame about rings, which no loss of a batch or a delay of FIN is about. */
    private boolean sendAboutRings(byte[] frame, Completion whenDone) {
        simulation.note(name + " sends frame " + frame[TOKEN_BYTES] + " about rings");
        inOrder(() -> {
            if (other.isUsable() && SimulatedConnections.messageArrived(other.connection)) {
                other.rings.received(frame);
            }
        });
        return doneLater(Kind.CONTROL, whenDone, CarrierFault.NONE);
    }

    @Override
    public boolean sendUrgent(int reservedId, MemorySegment payload, Completion whenDone) {
        simulation.check(engine.isEngineThread(), name + " sends a control frame on another thread");
        if (!isUsable()) {
            throw new UcxException(UcxStatus.CONNECTION_RESET, "am_send", name, "the way has ended");
        }
        if (reservedId == ReservedMessageIds.RINGS) {
            return sendAboutRings(payload.toArray(ValueLayout.JAVA_BYTE), whenDone);
        }
        ControlFrame frame = ControlFrame.parse(payload.asSlice(TOKEN_BYTES));
        simulation.note(name + " sends " + frame.type());
        Runnable arrival = () -> {
            if (other.isUsable()) {
                SimulatedConnections.controlArrived(other.connection, frame);
            }
        };
        if (frame.type() == ControlFrame.Type.FIN && settings.fault() == CarrierFault.FIN_OVERTAKES) {
            simulation.soon(() -> other.engine.run(arrival));
        } else if (frame.type() != ControlFrame.Type.PING || settings.fault() != CarrierFault.LOST_PING) {
            lastArrival = Math.max(lastArrival, lastOfferEnd);
            inOrder(arrival);
        }
        return doneLater(Kind.CONTROL, whenDone, CarrierFault.NONE);
    }

    /** Returns whether a fault of the carrier happens now. */
    boolean fault(CarrierFault kind) {
        boolean happens = kind != CarrierFault.NONE && settings.fault() == kind && simulation.chance(FAULT);
        if (happens) {
            simulation.note(name + " FAULT " + kind);
        }
        return happens;
    }

    /** Lets a batch arrive behind those before it. */
    void arrive(BatchFaults.Batch batch) {
        inOrder(() -> {
            batches.arrives(batch);
            other.take(batch.bytes());
        });
    }

    /** Tells the peer that this end of the way is there. */
    void deliver(Runnable arrival) {
        inOrder(arrival);
    }

    /** Runs an action on the peer's thread, behind all small messages before. */
    private void inOrder(Runnable arrival) {
        simulation.at(nextArrival(), () -> other.engine.run(arrival));
    }

    private long nextArrival() {
        long delay = simulation.delay() + (settings.isSlow() ? SLOWER_NANOS : 0);
        lastArrival = Math.max(lastArrival, simulation.now() + delay);
        return lastArrival;
    }

    private boolean offer(byte[] header, MemorySegment payload, Completion whenDone) {
        frames.large(header);
        simulation.note(name + " offers " + MessageFrameCodec.sequence(header) + " of " + payload.byteSize()
                + " bytes");
        Pending operation = new Pending(Kind.PEER, (status, length, tag) -> {
            whenDone.complete(status, length, tag);
            if (fault(CarrierFault.DOUBLE_RELEASE)) {
                whenDone.complete(status, length, tag);
            }
        });
        SimulatedOffer offer = new SimulatedOffer(simulation, this, other, header, payload, operation);
        simulation.soon(() -> other.engine.run(() -> {
            if (other.isUsable() && SimulatedConnections.messageArrived(other.connection)) {
                other.protocol.received(offer);
            } else {
                offer.release();
            }
        }));
        if (fault(CarrierFault.EARLY_COMPLETION)) {
            simulation.soon(() -> operation.end(0));
        }
        return false;
    }

    /** The peer has fetched or released a large message of this side. */
    void offerEnded(Pending operation) {
        if (!fault(CarrierFault.LOST_COMPLETION)) {
            long at = simulation.now() + simulation.delay();
            other.lastOfferEnd = Math.max(other.lastOfferEnd, at);
            simulation.at(at, () -> operation.end(0));
        }
    }

    /** Begins a fetch of a large message of the peer. */
    Pending fetch(Completion whenDone) {
        return new Pending(Kind.DATA, whenDone);
    }

    void requireFetch() {
        simulation.check(engine.isEngineThread(), name + " fetches on another thread");
        requireRoom("am_recv_data", Kind.DATA);
    }

    boolean isFaulty(CarrierFault kind) {
        return settings.fault() == kind;
    }

    @Override
    public long inFlight() {
        return pending.size();
    }

    @Override
    public boolean flush(Completion whenDone) {
        Pending operation = new Pending(Kind.CONTROL, whenDone);
        simulation.at(nextArrival() + (simulation.chance(0.05) ? LATE_NANOS : 0), () -> operation.end(0));
        return false;
    }

    @Override
    public void whenDrained(Runnable action) {
        simulation.at(other.nextArrival(), () -> engine.run(action));
    }

    @Override
    public void established() {
        // Nothing is reserved for a way that is not complete.
    }

    @Override
    public void abandoned() {
        // The peer's end is there already.
    }

    @Override
    public void lost(PeerProcess process) {
        // No queue has to be repaired.
    }

    @Override
    public boolean beginRelease() {
        return release != null && release.begin(limits.idleEndpoints(), PeerOrigin.UNKNOWN);
    }

    @Override
    public boolean advanceRelease() {
        return release != null && release.advance();
    }

    @Override
    public void peerReleased() {
        if (release != null) {
            release.peerReleased();
        }
    }

    @Override
    public void forbidRelease() {
        if (release != null) {
            release.forbid();
        }
    }

    @Override
    public boolean canClose() {
        return true;
    }

    /** Ends everything in flight with an error, in any order; the peer learns of it. */
    @Override
    public void close(CloseMode wanted, Runnable whenClosed) {
        simulation.check(state != State.CLOSED, name + " is closed twice");
        simulation.note(name + " closes its way, " + wanted);
        closedByForce = wanted == CloseMode.FORCE || hasFailed() || !pending.isEmpty();
        boolean tells = state == State.USABLE;
        state = State.CLOSED;
        abort();
        if (tells) {
            simulation.soon(() -> other.engine.run(other::fail));
        }
        if (closedByForce && simulation.chance(0.1)) {
            simulation.note(name + " is parked");
        } else if (simulation.chance(0.3)) {
            whenClosed.run();
        } else {
            simulation.soon(() -> engine.run(whenClosed));
        }
    }

    private void abort() {
        for (Pending operation : List.copyOf(pending)) {
            simulation.soon(() -> operation.end(UcxStatus.CANCELED.code()));
        }
    }

    @Override
    public boolean isClosedByForce() {
        return closedByForce;
    }

    @Override
    public void connectionEnded(PeerProcess process) {
        if (release != null) {
            release.end(process);
        }
        simulation.check(!isAttached() || state == State.CLOSED || way.isIdle(),
                name + " has ended, and its way is neither closed nor handed on");
    }

    /** UCX has closed the worker, and has ended all operations. */
    void workerClosed() {
        state = isAttached() ? State.CLOSED : state;
        List.copyOf(pending).forEach(operation -> operation.end(UcxStatus.CANCELED.code()));
    }

    @Override
    public void engineClosed() {
        if (isAttached()) {
            state = State.CLOSED;
        }
    }

    String name() {
        return name;
    }

    Simulation simulation() {
        return simulation;
    }

    SimulatedWay way() {
        return way;
    }
}
