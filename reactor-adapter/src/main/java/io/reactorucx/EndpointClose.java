package io.reactorucx;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/** The one close of a connection's endpoint that UCX allows. On the engine's thread. */
final class EndpointClose {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointClose.class);

    private static final int SETTLED_AFTER_MILLIS = 10;

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
     * Lets what was said last, and what UCX has buffered, go out once before a close by force; answers whether that is waited for. UCX 1.13
     * frees a tcp endpoint that both sides close at once while it still waits to write, and follows a pointer into that memory.
     */
    boolean drains(ConnectionCore connection, UcpEndpoint open, Runnable whenDrained) {
        if (flushing || begun || open.failure() != 0) {
            return false;
        }
        flushing = true;
        // A flush ends within UCX's look at its sockets; in the next ones it stops waiting to write.
        Runnable later = () -> Schedulers.parallel().schedule(() -> connection.execute(worker -> whenDrained.run()), SETTLED_AFTER_MILLIS,
                TimeUnit.MILLISECONDS);
        try {
            if (open.flush((status, length, tag) -> later.run())) {
                later.run();
            }
            return true;
        } catch (UcxException e) {
            LOG.debug("[{}] nothing more goes out", peer, e);
            return false;
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
