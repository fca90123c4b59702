package io.reactorucx.transport.carrier;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.transport.endpoint.PeerProcess;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A carrier over another one, to which it leaves what it does not do itself.
 *
 * <p>Thread: engine.
 */
public abstract class CarrierLayer implements Carrier {

    private final Carrier below;

    protected CarrierLayer(Carrier below) {
        this.below = below;
    }

    /** Returns what carries this one's frames. */
    public final Carrier rest() {
        return below;
    }

    @Override
    public @Nullable UcpEndpoint endpoint() {
        return below.endpoint();
    }

    @Override
    public boolean isAttached() {
        return below.isAttached();
    }

    @Override
    public boolean isUsable() {
        return below.isUsable();
    }

    @Override
    public boolean hasFailed() {
        return below.hasFailed();
    }

    @Override
    public List<String> transports() {
        return below.transports();
    }

    @Override
    public boolean sharesQueue() {
        return below.sharesQueue();
    }

    @Override
    public int maxHeaderBytes() {
        return below.maxHeaderBytes();
    }

    @Override
    public boolean checkSend(int reservedId, MemorySegment header, MemorySegment payload,
            @Nullable UcpMemory registration) {
        return below.checkSend(reservedId, header, payload, registration);
    }

    @Override
    public void arrived(int reservedId, DataPlacement.Source source, long offset, int headerBytes, int payloadBytes) {
        below.arrived(reservedId, source, offset, headerBytes, payloadBytes);
    }

    @Override
    public boolean sendUrgent(int reservedId, MemorySegment payload, Completion whenDone) {
        return below.sendUrgent(reservedId, payload, whenDone);
    }

    @Override
    public long inFlight() {
        return below.inFlight();
    }

    @Override
    public boolean flush(Completion whenDone) {
        return below.flush(whenDone);
    }

    @Override
    public void whenDrained(Runnable action) {
        below.whenDrained(action);
    }

    @Override
    public void established() {
        below.established();
    }

    @Override
    public void abandoned() {
        below.abandoned();
    }

    @Override
    public void lost(PeerProcess process) {
        below.lost(process);
    }

    @Override
    public boolean beginRelease() {
        return below.beginRelease();
    }

    @Override
    public boolean advanceRelease() {
        return below.advanceRelease();
    }

    @Override
    public void peerReleased() {
        below.peerReleased();
    }

    @Override
    public void forbidRelease() {
        below.forbidRelease();
    }

    @Override
    public boolean canClose() {
        return below.canClose();
    }

    @Override
    public void close(CloseMode wanted, Runnable whenClosed) {
        below.close(wanted, whenClosed);
    }

    @Override
    public boolean isClosedByForce() {
        return below.isClosedByForce();
    }

    @Override
    public void connectionEnded(PeerProcess process) {
        below.connectionEnded(process);
    }

    @Override
    public void engineClosed() {
        below.engineClosed();
    }
}
