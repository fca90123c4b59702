package io.reactorucx.internal.message.simulation;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.message.context.LargeOffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A large message on a simulated carrier. Its data is read from the sender's memory when the fetch ends. */
final class SimulatedOffer implements LargeOffer {

    private final Simulation simulation;
    private final SimulatedCarrier from;
    private final SimulatedCarrier to;
    private final byte[] header;
    private final MemorySegment data;
    private final SimulatedCarrier.Pending sending;
    private boolean taken;

    SimulatedOffer(Simulation simulation, SimulatedCarrier from, SimulatedCarrier to, byte[] header,
            MemorySegment data, SimulatedCarrier.Pending sending) {
        this.simulation = simulation;
        this.from = from;
        this.to = to;
        this.header = header;
        this.data = data;
        this.sending = sending;
    }

    @Override
    public byte[] header() {
        return header;
    }

    @Override
    public long length() {
        return data.byteSize();
    }

    @Override
    public boolean fetch(MemorySegment destination, UcpMemory registration, Completion whenDone) {
        simulation.check(!taken, to.name() + " fetches a message twice");
        to.requireFetch();
        taken = true;
        if (simulation.chance(0.3) && isThere()) {
            copy(destination);
            return true;
        }
        SimulatedCarrier.Pending fetching = to.fetch(whenDone);
        simulation.soon(() -> {
            if (fetching.isOpen() && isThere()) {
                copy(destination);
                fetching.end(0);
            } else {
                fetching.end(UcxStatus.CONNECTION_RESET.code());
            }
        });
        return false;
    }

    /** Returns whether the sender still keeps the memory for this. */
    private boolean isThere() {
        return from.isUsable()
                && (sending.isOpen() || from.isFaulty(CarrierFault.EARLY_COMPLETION));
    }

    private void copy(MemorySegment destination) {
        simulation.use(destination, "the memory for a message that " + to.name() + " fetches");
        if (!from.isFaulty(CarrierFault.EARLY_COMPLETION)) {
            simulation.use(data, "the memory of a message that " + to.name() + " fetches");
        }
        MemorySegment.copy(data, 0, destination, 0, data.byteSize());
        if (data.byteSize() > 0 && from.fault(CarrierFault.CHANGED_BYTE)) {
            long at = simulation.below((int) data.byteSize());
            destination.set(ValueLayout.JAVA_BYTE, at, (byte) (destination.get(ValueLayout.JAVA_BYTE, at) + 1));
        }
        from.offerEnded(sending);
    }

    @Override
    public boolean release() {
        if (taken) {
            return false;
        }
        taken = true;
        from.offerEnded(sending);
        return true;
    }
}
