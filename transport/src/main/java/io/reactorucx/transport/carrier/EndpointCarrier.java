package io.reactorucx.transport.carrier;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.PeriodicTask;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.command.JvmErrors;
import io.reactorucx.transport.endpoint.EndpointAllocator;
import io.reactorucx.transport.endpoint.PeerProcess;
import io.reactorucx.transport.endpoint.PeerProcesses;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.handshake.ResourceLimits;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An endpoint of UCX as the carrier of a connection. When the connection ends, the endpoint is released to the next
 * connection, or closed, which UCX allows once.
 *
 * <p>Thread: engine.
 */
public final class EndpointCarrier implements Carrier {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointCarrier.class);
    /** As much time UCX has to cancel what was in flight at a close by force. */
    private static final Duration CANCELLATION = Duration.ofSeconds(1);

    private final String peer;
    private final ProgressEngine engine;
    private final UcpWorker worker;
    private final EndpointAllocator endpoints;
    private final ResourceLimits limits;
    private final Consumer<PeerProcess> queueRepair;
    private final PeerProcesses processes;
    private final EndpointSlot slot;
    private PeerOrigin origin = PeerOrigin.UNKNOWN;
    private PeerProcess process = PeerProcess.UNKNOWN;
    private final Runnable whenPeerEnded = () -> lost(process);
    private @Nullable UcpEndpoint endpoint;
    private @Nullable EndpointRelease release;
    /** Until it is known, the peer may have written to the queue of this worker. */
    private boolean overSharedMemory = true;
    private boolean closedByForce;
    private boolean closing;

    /**
     * Creates a carrier without endpoint.
     *
     * @param queueRepair repairs the queues of shared memory that a process has used which may have died
     * @param processes tells when a process has ended
     */
    public EndpointCarrier(String peer, ProgressEngine engine, UcpWorker worker, EndpointAllocator endpoints,
            ResourceLimits limits, Consumer<PeerProcess> queueRepair, PeerProcesses processes) {
        this.peer = peer;
        this.engine = engine;
        this.worker = worker;
        this.endpoints = endpoints;
        this.limits = limits;
        this.queueRepair = queueRepair;
        this.processes = processes;
        this.slot = new EndpointSlot(limits.parkedEndpoints());
    }

    /** Reserves the place that an endpoint to the peer needs, and returns why there is none, or null when there is. */
    public @Nullable Rejection reserve(PeerOrigin client) {
        origin = client;
        return slot.reserve(client);
    }

    public void attach(UcpEndpoint made) {
        endpoint = made;
    }

    /** Allows to release the endpoint to another connection in place of a close. */
    public void releaseBy(EndpointRelease agreement) {
        release = agreement;
    }

    @Override
    public @Nullable UcpEndpoint endpoint() {
        return endpoint;
    }

    private UcpEndpoint attached() {
        return Objects.requireNonNull(endpoint, "there is no endpoint yet");
    }

    @Override
    public boolean isAttached() {
        return endpoint != null;
    }

    @Override
    public boolean isUsable() {
        return endpoint != null && !endpoint.isClosed() && endpoint.failure() == 0;
    }

    @Override
    public boolean hasFailed() {
        return endpoint != null && endpoint.failure() != 0;
    }

    @Override
    public List<String> transports() {
        try {
            return endpoint == null ? List.of() : endpoint.transports();
        } catch (UcxException e) {
            // The endpoint has failed meanwhile, which the connection is about to learn.
            return List.of();
        }
    }

    @Override
    public boolean sharesQueue() {
        return isUsable() && SharedMemoryTransport.isAmong(transports());
    }

    @Override
    public int maxHeaderBytes() {
        return worker.maxHeaderBytes();
    }

    @Override
    public boolean send(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            AmProtocol protocol, Completion whenDone) {
        return attached().amSend(reservedId, header, payload, registration, protocol, true, whenDone);
    }

    @Override
    public boolean hasRoom(AmProtocol protocol) {
        return worker.activeMessages().room(protocol) > 0;
    }

    @Override
    public boolean sendNow(int reservedId, byte[] bytes, int size) {
        return false; // UCX takes native memory.
    }

    @Override
    public boolean checkSend(int reservedId, MemorySegment header, MemorySegment payload,
            @Nullable UcpMemory registration) {
        return attached().checkSend(reservedId, header, payload, registration);
    }

    @Override
    public void arrived(int reservedId, DataPlacement.Source source, long offset, int headerBytes, int payloadBytes) {
        UcpEndpoint from = endpoint();
        if (from == null || from.isClosed()) {
            return;
        }
        try {
            from.worker().activeMessages().arrived(reservedId, source, offset, headerBytes, payloadBytes, from);
        } catch (Throwable t) {
            LOG.error("[{}] a handler threw", from.worker().config().name(), t);
            JvmErrors.rethrowIfOutOfMemory(t);
        }
    }

    @Override
    public boolean sendUrgent(int reservedId, MemorySegment payload, Completion whenDone) {
        return attached().amSendUrgent(reservedId, payload, whenDone);
    }

    @Override
    public long inFlight() {
        UcpEndpoint open = attached();
        return open.isClosed() ? 0 : open.inFlight() - open.stream().receives();
    }

    @Override
    public boolean flush(Completion whenDone) {
        return attached().flush(whenDone);
    }

    @Override
    public void whenDrained(Runnable action) {
        ReceiveDrain.start(engine, action);
    }

    @Override
    public void established() {
        slot.release();
        overSharedMemory = sharesQueue();
    }

    @Override
    public void lost(PeerProcess ofPeer) {
        if (overSharedMemory) {
            queueRepair.accept(ofPeer);
        }
    }

    @Override
    public void abandoned() {
        worker.parkedEndpoints().expectPeer();
    }

    @Override
    public boolean beginRelease() {
        return release != null && release.begin(limits.idleEndpoints(), origin);
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

    /** Error mode NONE allows no close while operations are in flight. */
    @Override
    public boolean canClose() {
        UcpEndpoint open = attached();
        return open.errorMode() == ErrorMode.PEER || isQuiet(open);
    }

    private static boolean isQuiet(UcpEndpoint open) {
        return open.inFlight() == open.stream().receives();
    }

    /**
     * Closes the endpoint in the wanted mode. An endpoint that has failed, or has operations in flight, is closed by
     * force; error mode NONE only allows a flushing close. A close by force that has to wait for what was sent before
     * leaves the endpoint parked at its worker. A flushing close that UCX does not allow yet, because receives of other
     * connections are in flight, is left to the allocator.
     */
    @Override
    public void close(CloseMode wanted, Runnable whenClosed) {
        UcpEndpoint open = attached();
        CloseMode mode = open.errorMode() != ErrorMode.PEER ? CloseMode.FLUSH
                : isQuiet(open) && open.failure() == 0 && open.mayFlush() ? wanted : CloseMode.FORCE;
        closedByForce = mode == CloseMode.FORCE;
        closing = true;
        boolean done;
        try {
            done = open.close(mode, (status, length, tag) -> closed(whenClosed));
            if (!done && closedByForce) {
                slot.park(origin);
            }
        } catch (IllegalStateException e) {
            LOG.debug("[{}] the endpoint is closed later", peer, e);
            endpoints.closeUnused(open);
            done = true;
        } catch (RuntimeException e) {
            LOG.debug("[{}] closing the endpoint failed", peer, e);
            done = true;
        }
        if (done) {
            closed(whenClosed);
        }
    }

    private void closed(Runnable whenClosed) {
        slot.release();
        if (attached().isClosed() && attached().inFlight() > 0) {
            new PeriodicTask(engine, "the look for operations that are not cancelled", CANCELLATION,
                    this::awaitsCancellation).start();
        }
        whenClosed.run();
    }

    /**
     * Returns whether UCX has yet to cancel what was in flight. It does so once the peer has taken what is in its queue
     * of shared memory, which a peer whose engine hangs does not do. When its process has ended, its queue is emptied
     * from here.
     */
    private boolean awaitsCancellation() {
        boolean waits = !worker.isClosed() && attached().inFlight() > 0;
        if (waits) {
            slot.park(origin);
            worker.parkedEndpoints().keep(attached());
            processes.add(process, whenPeerEnded);
        } else {
            processes.remove(process, whenPeerEnded);
            slot.release();
        }
        return waits;
    }

    /**
     * Returns whether the endpoint is closed by force, or parked until it can be: what UCX still keeps of it stays
     * until then, or until the worker ends.
     */
    @Override
    public boolean isClosedByForce() {
        return closedByForce;
    }

    @Override
    public void connectionEnded(PeerProcess ofPeer) {
        process = ofPeer;
        if (!closing) {
            slot.release();
        }
        if (release != null) {
            release.end(ofPeer);
        }
    }

    @Override
    public void engineClosed() {
        slot.release();
    }
}
