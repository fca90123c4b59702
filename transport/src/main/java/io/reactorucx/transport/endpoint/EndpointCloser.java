package io.reactorucx.transport.endpoint;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.handshake.ResourceLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a connection's use of its endpoint: releases it to the next connection, or closes it, which UCX allows once.
 *
 * <p>Thread: engine.
 */
public final class EndpointCloser {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointCloser.class);

    private final String peer;
    private final ResourceLimits limits;
    private final EndpointSlot slot;
    private PeerOrigin origin = PeerOrigin.UNKNOWN;
    private @Nullable EndpointRelease release;
    private boolean closedByForce;
    private boolean closing;

    public EndpointCloser(String peer, ResourceLimits limits) {
        this.peer = peer;
        this.limits = limits;
        this.slot = new EndpointSlot(limits.parkedEndpoints());
    }

    /** Reserves the place that an endpoint to the peer needs, and returns why there is none, or null when there is. */
    public @Nullable Rejection reserve(PeerOrigin client) {
        origin = client;
        return slot.reserve(client);
    }

    /** The endpoint is wired up: UCX can close it. */
    public void wiredUp() {
        slot.release();
    }

    /** Nothing of the endpoint is left. */
    public void engineClosed() {
        slot.release();
    }

    /** Allows to release the endpoint to another connection in place of a close. */
    public void releaseBy(EndpointRelease agreement) {
        release = agreement;
    }

    /** Starts the release of the endpoint, and returns whether that is possible. */
    public boolean beginRelease() {
        return release != null && release.begin(limits.idleEndpoints(), origin);
    }

    /** Takes the next step of the release, and returns whether both sides have released their endpoints. */
    public boolean advanceRelease() {
        return release != null && release.advance();
    }

    /** Notes that the peer has released its endpoint. */
    public void peerReleased() {
        if (release != null) {
            release.peerReleased();
        }
    }

    /** Rules a release out, unless both sides have released their endpoints. */
    public void forbidRelease() {
        if (release != null) {
            release.forbid();
        }
    }

    /** Makes the endpoint idle or forgets it: its connection to a process has ended. */
    public void connectionEnded(PeerProcess process) {
        if (!closing) {
            slot.release();
        }
        if (release != null) {
            release.end(process);
        }
    }

    /**
     * Returns whether the endpoint can be closed now: error mode NONE allows no close while operations are in flight.
     */
    public static boolean canClose(UcpEndpoint open) {
        return open.errorMode() == ErrorMode.PEER || isQuiet(open);
    }

    private static boolean isQuiet(UcpEndpoint open) {
        return open.inFlight() == open.stream().receives();
    }

    /**
     * Closes the endpoint in the wanted mode. An endpoint that has failed, or has operations in flight, is closed by
     * force; error mode NONE only allows a flushing close. A close by force that has to wait for what was sent before
     * leaves the endpoint parked at its worker. A flushing close that UCX does not allow yet, because receives of other
     * connections are in flight, is left to the given action.
     */
    public void close(UcpEndpoint open, CloseMode wanted, Runnable whenClosed, Runnable closeLater) {
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
            closeLater.run();
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
        whenClosed.run();
    }

    /**
     * Returns whether the endpoint is closed by force, or parked until it can be: what UCX still keeps of it stays
     * until then, or until the worker ends, and the connection need not wait for it.
     */
    public boolean isClosedByForce() {
        return closedByForce;
    }
}
