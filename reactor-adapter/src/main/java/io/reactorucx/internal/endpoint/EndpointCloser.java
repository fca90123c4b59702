package io.reactorucx.internal.endpoint;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a connection parts with its endpoint: released for another connection, or closed, which UCX allows once. On the
 * engine's thread.
 */
public final class EndpointCloser {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointCloser.class);

    private final String peer;
    private final Runnable whenEnded;
    private @Nullable EndpointRelease release;
    private boolean flushing;
    private boolean begun;
    private boolean forced;
    private boolean ended;

    public EndpointCloser(String peer, Runnable whenEnded) {
        this.peer = peer;
        this.whenEnded = whenEnded;
    }

    /** The endpoint may be another connection's afterwards. */
    public void releaseBy(EndpointRelease way) {
        release = way;
    }

    /** Begins to release the endpoint, where that is possible; answers whether. */
    public boolean releases() {
        begun = release != null && release.begin();
        return begun;
    }

    /** The peer has released its side. */
    public void peerReleased() {
        if (release != null) {
            release.peerReleased();
        }
    }

    /** The endpoint cannot be released; answers whether that was under way, and it is to be closed now. */
    public boolean cannotRelease() {
        boolean underWay = release != null && release.isUnderWay();
        if (release != null && !release.isAgreed()) {
            release.becomesImpossible();
        }
        begun &= !underWay;
        return underWay;
    }

    /** The connection is gone. */
    public void over() {
        if (release != null) {
            release.end();
        }
    }

    /**
     * Closes the endpoint, by force where flushing is impossible and the other way round; answers whether that could
     * begin.
     */
    public boolean close(UcpEndpoint open, CloseMode wanted) {
        boolean quiet = open.inFlight() == open.stream().receives();
        boolean mayForce = open.errorMode() == ErrorMode.PEER;
        if (!mayForce && !quiet) {
            return false;
        }
        CloseMode mode = !mayForce ? CloseMode.FLUSH : quiet && open.failure() == 0 ? wanted : CloseMode.FORCE;
        begun = true;
        forced = mode == CloseMode.FORCE;
        try {
            ended = open.close(mode, (status, length, tag) -> {
                ended = true;
                whenEnded.run();
            });
        } catch (RuntimeException e) {
            LOG.debug("[{}] close ended with an error", peer, e);
            ended = true;
        }
        return true;
    }

    /**
     * Closes, once, when both sides have said farewell: by force, for UCX keeps endpoints that are closed otherwise,
     * and so after a flush unless the peer hears in another way that this side is done.
     */
    public void afterLastWord(UcpEndpoint open, boolean heardElsewhere, Runnable closeByForce) {
        if (!flushing && !begun && open.failure() == 0) {
            flushing = true;
            if (heardElsewhere || open.flush((status, length, tag) -> closeByForce.run())) {
                closeByForce.run();
            }
        }
    }

    /** There is no endpoint to close. */
    public void nothing() {
        ended = true;
    }

    /**
     * Whether it was closed by force, and that has ended: what UCX has kept all the same it keeps until the worker
     * ends.
     */
    public boolean isForced() {
        return forced && ended;
    }

    public boolean hasBegun() {
        return begun;
    }

    /** Whether it is closed, or both sides have released theirs; looks how far that is. */
    public boolean hasEnded() {
        ended |= release != null && begun && release.isDone();
        return ended;
    }
}
