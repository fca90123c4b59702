package io.reactorucx;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpEndpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one close of a connection's endpoint that UCX allows. On the engine's thread. */
final class EndpointClose {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointClose.class);

    private final String peer;
    private final Runnable whenEnded;
    private boolean flushing;
    private boolean begun;
    private boolean ended;

    EndpointClose(String peer, Runnable whenEnded) {
        this.peer = peer;
        this.whenEnded = whenEnded;
    }

    void begin(UcpEndpoint open, CloseMode mode) {
        begun = true;
        try {
            ended = open.close(mode, (status, length, tag) -> {
                ended = true;
                whenEnded.run();
            });
        } catch (RuntimeException e) {
            LOG.debug("[{}] close ended with an error", peer, e);
            ended = true;
        }
    }

    /** Lets what this side said last go out, once; then the close can be by force, for UCX keeps endpoints that are closed otherwise. */
    void afterFlush(UcpEndpoint open, Runnable close) {
        if (!flushing && !begun && open.failure() == 0) {
            flushing = true;
            if (open.flush((status, length, tag) -> close.run())) {
                close.run();
            }
        }
    }

    /** There is no endpoint to close. */
    void nothing() {
        ended = true;
    }

    boolean hasBegun() {
        return begun;
    }

    boolean hasEnded() {
        return ended;
    }
}
