package io.reactorucx.netty.internal;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.Timeout;
import io.reactorucx.netty.counter.LoopCount;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the time in which a stream opens, and in which it ends.
 *
 * <p>Thread: loop.
 */
final class StreamDeadlines {

    private final StreamContext context;
    private @Nullable Timeout opening;
    private @Nullable Timeout ending;
    private @Nullable Timeout lingering;

    StreamDeadlines(StreamContext context) {
        this.context = context;
    }

    /** Calls back with the cause when the time of handshakes is over. */
    void startOpening(StreamSocket socket, Consumer<IOException> whenOver) {
        try {
            long nanos = context.config().handshakeTimeout().toNanos();
            opening = context.engine().schedule(nanos, () -> {
                context.counters().count(LoopCount.FAILED_HANDSHAKES);
                whenOver.accept(new IOException("Connection timed out: the peer has not opened the channel in time"
                        + socket.timeoutHint()));
            });
        } catch (UcxException e) {
            context.rounds()
                    .later(() -> whenOver.accept(new IOException("the loop has as many timeouts as it may", e)));
        }
    }

    void opened() {
        if (opening != null) {
            opening.cancel();
        }
    }

    /** Runs an action when the time of closes is over, unless another waits for that. */
    void startEnding(Runnable whenOver) {
        startEnding(0, whenOver);
    }

    /** The same, with a shortest time. */
    void startEnding(long minNanos, Runnable whenOver) {
        if (ending != null) {
            return;
        }
        try {
            long nanos = Math.max(minNanos, context.config().closeTimeout().toNanos());
            ending = context.engine().schedule(nanos, () -> {
                ending = null;
                whenOver.run();
            });
        } catch (UcxException e) {
            // The loop has as many timeouts as it may, or ends.
            context.rounds().later(whenOver);
        }
    }

    /** Runs an action when the linger time is over. */
    void startLingering(long nanos, Runnable whenOver) {
        try {
            lingering = context.engine().schedule(nanos, whenOver);
        } catch (UcxException e) {
            // As above: then the channel does not wait.
            context.rounds().later(whenOver);
        }
    }

    void cancel() {
        opened();
        if (lingering != null) {
            lingering.cancel();
        }
        if (ending != null) {
            ending.cancel();
        }
    }
}
