package io.reactorucx.internal.endpoint;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts a connection with its endpoint: releases it to another connection, or closes it, which UCX allows once.
 *
 * <p>Thread: engine.
 */
public final class EndpointCloser {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointCloser.class);

    private final String peer;
    private @Nullable EndpointRelease release;
    private @Nullable CloseMode closedBy;

    public EndpointCloser(String peer) {
        this.peer = peer;
    }

    /** The endpoint may be another connection's afterwards. */
    public void releaseBy(EndpointRelease agreement) {
        release = agreement;
    }

    /** Begins to release the endpoint, and returns whether that is possible. */
    public boolean beginRelease() {
        return release != null && release.begin();
    }

    /** Takes the next step of the release, and returns whether both sides have released their endpoints. */
    public boolean advanceRelease() {
        return release != null && release.advance();
    }

    /** The peer has released its side. */
    public void peerReleased() {
        if (release != null) {
            release.peerReleased();
        }
    }

    /** The endpoint has to be closed, unless both sides have released theirs. */
    public void forbidRelease() {
        if (release != null) {
            release.forbid();
        }
    }

    /** The connection has ended. */
    public void connectionEnded() {
        if (release != null) {
            release.end();
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

    /** Closes the endpoint, by force where flushing is impossible and by flushing where force is. */
    public void close(UcpEndpoint open, CloseMode wanted, Runnable whenClosed) {
        CloseMode mode = open.errorMode() != ErrorMode.PEER ? CloseMode.FLUSH
                : isQuiet(open) && open.failure() == 0 ? wanted : CloseMode.FORCE;
        boolean done;
        try {
            done = open.close(mode, (status, length, tag) -> closed(mode, whenClosed));
        } catch (RuntimeException e) {
            LOG.debug("[{}] close ended with an error", peer, e);
            done = true;
        }
        if (done) {
            closed(mode, whenClosed);
        }
    }

    private void closed(CloseMode mode, Runnable whenClosed) {
        closedBy = mode;
        whenClosed.run();
    }

    /** Returns whether the endpoint was closed by force: what UCX keeps all the same stays until the worker ends. */
    public boolean isClosedByForce() {
        return closedBy == CloseMode.FORCE;
    }
}
