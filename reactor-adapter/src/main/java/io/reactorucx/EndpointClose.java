package io.reactorucx;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpEndpoint;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one close of a connection's endpoint that UCX allows. On the engine's thread. */
final class EndpointClose {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointClose.class);

    /** How long an endpoint that is closed by force may take to send what UCX has buffered. */
    static final Duration DRAINED_WITHIN = Duration.ofSeconds(1);

    private final String peer;
    private final Runnable whenEnded;
    private @Nullable Runnable keeper;
    private boolean kept;
    private boolean flushing;
    private boolean begun;
    private boolean ended;

    EndpointClose(String peer, Runnable whenEnded) {
        this.peer = peer;
        this.whenEnded = whenEnded;
    }

    /** An endpoint that cannot be closed by force is given back after an end in good order: UCX would keep it, closed, with all that it has. */
    void keepWith(Runnable giveBack) {
        keeper = giveBack;
    }

    /** For error mode NONE; an end is in good order when both sides have heard the last of each other. */
    void flushOrKeep(UcpEndpoint open, boolean inGoodOrder) {
        if (keeper != null && open.failure() == 0 && (flushing || inGoodOrder)) {
            open.closeKeys();
            kept = true;
            begun = true;
            ended = true;
        } else {
            begin(open, CloseMode.FLUSH);
        }
    }

    /** The connection is gone: another may have its endpoint. */
    void giveBack() {
        if (kept && keeper != null) {
            keeper.run();
        }
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

    /**
     * Whether what waits in the endpoint's sockets goes out first, which is tried once, for {@link #DRAINED_WITHIN}. UCX frees a tcp endpoint
     * that is closed with data in its buffer while it still has events for it, and follows a pointer into that memory.
     */
    boolean drains(UcpEndpoint open, Runnable whenDrained) {
        if (flushing || begun || open.failure() != 0) {
            return false;
        }
        flushing = true;
        return !open.flush((status, length, tag) -> whenDrained.run());
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
