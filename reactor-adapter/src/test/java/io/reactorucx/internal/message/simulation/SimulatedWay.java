package io.reactorucx.internal.message.simulation;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.transport.endpoint.EndpointAllocator.AllocatedEndpoint;
import io.reactorucx.transport.endpoint.PeerProcess;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;

/** What a simulated carrier hands on to the next connection, as an allocator's endpoint. */
final class SimulatedWay implements AllocatedEndpoint {

    private final SimulatedCarrier carrier;
    private boolean reserved;
    private boolean idle;

    SimulatedWay(SimulatedCarrier carrier) {
        this.carrier = carrier;
    }

    /** Returns whether the next connection may have it. */
    boolean isIdle() {
        return idle;
    }

    @Override
    public UcpEndpoint endpoint() {
        throw new IllegalStateException("there is no endpoint");
    }

    @Override
    public int number() {
        return 1;
    }

    @Override
    public String peer() {
        return carrier.name();
    }

    @Override
    public boolean isUsable() {
        return carrier.isUsable();
    }

    @Override
    public boolean hasNoStream() {
        return true;
    }

    @Override
    public long inFlight() {
        return carrier.inFlight();
    }

    @Override
    public void closeKeys() {
        if (carrier.simulation().chance(0.1)) {
            throw new IllegalStateException("a key is in use");
        }
    }

    @Override
    public boolean reserveIdleSlot(FairLimit limit, PeerOrigin of) {
        reserved = reserved || !carrier.simulation().chance(0.1);
        return reserved;
    }

    @Override
    public void release(PeerProcess process) {
        carrier.simulation().check(reserved && !idle, carrier.name() + " is handed on without a place for it");
        carrier.simulation().note(carrier.name() + " hands its way on");
        idle = true;
    }

    @Override
    public void endpointClosed() {
        reserved = false;
    }
}
