package io.reactorucx.internal.message.simulation;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.message.simulation.CarriedFrames.Frame;
import io.reactorucx.transport.connection.MessageCarrier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One side's end of a carrier in memory. Small messages keep their order, large ones overtake and are overtaken. The
 * memory of a message is read when the message leaves, or when it is fetched, and free when its end was told.
 */
final class SimulatedCarrier implements MessageCarrier {

    private static final double FAULT = 0.1;
    private static final byte LENT = (byte) 0xEE;
    /** So much longer messages take where one is to overtake another one. */
    private static final long SLOWER_NANOS = 500_000;

    /** A message that is on its way. */
    private static final class Flight {

        private byte[] bytes;
        private boolean hasMessages;
    }

    /** What an operation waits for. Each kind has slots of its own, as those of an engine. */
    private enum Kind { ROOM, PEER, DATA }

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
    private final CarriedFrames frames;
    private final Set<Pending> pending = new LinkedHashSet<>();
    private final SimulatedConnection connection;
    private SimulatedCarrier other;
    private MessageProtocol protocol;
    private long lastArrival;
    /** When the peer hears of the last message that this side has fetched or released. */
    private long lastOfferEnd;
    private final Deque<Flight> onTheirWay = new ArrayDeque<>();

    SimulatedCarrier(Simulation simulation, String name, SimulatedEngine engine, CarrierSettings settings,
            Runnable whenReset) {
        this.simulation = simulation;
        this.name = name;
        this.engine = engine;
        this.settings = settings;
        this.frames = new CarriedFrames(simulation, name, whenReset);
        this.connection = new SimulatedConnection(simulation, this, settings);
    }

    void connect(SimulatedCarrier peer, MessageProtocol messages) {
        other = peer;
        protocol = messages;
        frames.connect(peer.frames);
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
        if (!connection.carriesMessages()) {
            throw new UcxClosedException(operation, name, "the connection is closed");
        }
        boolean full = pending.stream().filter(other -> other.kind == kind).count() >= settings.slots();
        if (full || simulation.chance(settings.refusals())) {
            simulation.note(name + ": no slot for " + operation);
            throw new UcxException(UcxStatus.BUSY, operation, name, "no slot");
        }
    }

    private boolean sendSmall(byte[] bytes, Completion whenDone) {
        List<Frame> content = frames.sent(bytes);
        simulation.note(name + " sends batch " + MessageFrameCodec.sequence(bytes) + ", frames "
                + content.stream().map(frame -> frame.type() + "@" + frame.stream()).toList());
        Flight flight = new Flight();
        flight.bytes = bytes;
        flight.hasMessages = content.stream().anyMatch(frame -> frame.type() == MessageFrameCodec.DATA
                || frame.type() == MessageFrameCodec.RUN);
        if (!spoil(flight, content)) {
            arrive(flight);
        }
        if (flight.hasMessages) {
            onTheirWay.add(flight);
        }
        if (simulation.chance(0.6)) {
            return true;
        }
        Pending operation = new Pending(Kind.ROOM, whenDone);
        if (!fault(CarrierFault.LOST_COMPLETION)) {
            long at = simulation.now() + simulation.delay();
            other.lastOfferEnd = Math.max(other.lastOfferEnd, at);
            simulation.at(at, () -> operation.end(0));
        }
        return false;
    }

    private boolean fault(CarrierFault kind) {
        boolean happens = settings.fault() == kind && simulation.chance(FAULT);
        if (happens) {
            simulation.note(name + " FAULT " + kind);
        }
        return happens;
    }

    /** Does what the fault of the carrier does to a batch. Returns whether it does not arrive as others do. */
    private boolean spoil(Flight flight, List<Frame> content) {
        Flight before = onTheirWay.peekFirst();
        switch (settings.fault()) {
            case LOST_CREDIT -> content.stream().filter(frame -> frame.type() == MessageFrameCodec.CREDIT).findFirst()
                    .filter(frame -> fault(CarrierFault.LOST_CREDIT))
                    .ifPresent(frame -> flight.bytes = CarriedFrames.without(flight.bytes, frame));
            case LAST_OVERTAKES -> {
                if (before != null && content.stream().anyMatch(frame -> frame.type() == MessageFrameCodec.LAST)) {
                    swap(before.bytes, flight.bytes);
                }
            }
            case SWAPPED_BATCHES -> {
                if (before != null && flight.hasMessages && fault(CarrierFault.SWAPPED_BATCHES)) {
                    swap(before.bytes, flight.bytes);
                }
            }
            case DUPLICATED_BATCH -> {
                if (fault(CarrierFault.DUPLICATED_BATCH)) {
                    arrive(flight);
                }
            }
            case LOST_BATCH -> {
                return fault(CarrierFault.LOST_BATCH);
            }
            default -> { }
        }
        return false;
    }

    /** Swaps the numbers of two batches, and what they acknowledge. */
    private void swap(byte[] one, byte[] two) {
        simulation.note(name + " FAULT swaps " + MessageFrameCodec.sequence(one) + " and "
                + MessageFrameCodec.sequence(two));
        byte[] kept = Arrays.copyOfRange(one, Long.BYTES, MessageFrameCodec.PREAMBLE_BYTES);
        System.arraycopy(two, Long.BYTES, one, Long.BYTES, kept.length);
        System.arraycopy(kept, 0, two, Long.BYTES, kept.length);
    }

    /** Lets a batch arrive behind those before it, in an array that is lent. */
    private void arrive(Flight flight) {
        inOrder(() -> {
            onTheirWay.remove(flight);
            if (other.connection.carriesMessages()) {
                int size = flight.bytes.length;
                byte[] lent = Arrays.copyOf(flight.bytes, size + simulation.below(2));
                other.protocol.received(lent, size);
                Arrays.fill(lent, LENT);
            }
        });
    }

    /** Runs an action on the peer's thread, behind all small messages before. */
    void inOrder(Runnable arrival) {
        long delay = simulation.delay() + (settings.isSlow() ? SLOWER_NANOS : 0);
        lastArrival = Math.max(lastArrival, simulation.now() + delay);
        simulation.at(lastArrival, () -> other.engine.run(arrival));
    }

    /** Runs an action on the peer's thread, when it knows of all its messages that this side has fetched as well. */
    void behindOffers(Runnable arrival) {
        lastArrival = Math.max(lastArrival, lastOfferEnd);
        inOrder(arrival);
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
            if (other.connection.carriesMessages()) {
                other.protocol.received(offer);
            }
        }));
        if (fault(CarrierFault.EARLY_COMPLETION)) {
            long at = simulation.now() + simulation.delay();
            other.lastOfferEnd = Math.max(other.lastOfferEnd, at);
            simulation.at(at, () -> operation.end(0));
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

    boolean changesByte() {
        return fault(CarrierFault.CHANGED_BYTE);
    }

    boolean isFaulty(CarrierFault kind) {
        return settings.fault() == kind;
    }

    /** Returns whether no operation is in flight. */
    boolean isIdle() {
        return pending.isEmpty();
    }

    /** The endpoint has closed: everything in flight ends with an error, in any order. */
    void abort() {
        for (Pending operation : List.copyOf(pending)) {
            simulation.soon(() -> operation.end(UcxStatus.CANCELED.code()));
        }
    }

    @Override
    public void operationEnded() {
        connection.operationEnded();
    }

    @Override
    public void beginClose(CloseMode mode) {
        simulation.fail("the protocol of " + name + " closes the connection by force");
    }

    SimulatedConnection connection() {
        return connection;
    }

    SimulatedCarrier other() {
        return other;
    }

    MessageProtocol protocol() {
        return protocol;
    }

    @Override
    public SimulatedEngine engine() {
        return engine;
    }

    @Override
    public String peer() {
        return "peer of " + name;
    }

    @Override
    public String id() {
        return name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long peerToken() {
        return 1;
    }

    @Override
    public boolean sharesQueue() {
        return settings.sharesQueue();
    }
}
