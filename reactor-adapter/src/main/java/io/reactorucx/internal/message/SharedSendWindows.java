package io.reactorucx.internal.message;

import io.reactorucx.core.UcpEndpoint;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The send windows of all workers that an engine has connections to, by worker id.
 *
 * <p>Thread: engine.
 */
public final class SharedSendWindows {

    private static final Set<String> SINGLE_QUEUE_TRANSPORTS = Set.of("posix", "sysv", "xpmem");

    private final Map<Long, SharedSendWindow> windows = new HashMap<>();

    /** Returns the window of a peer's worker, to be left by {@link #leave}. */
    public SharedSendWindow join(long workerId) {
        SharedSendWindow window = windows.computeIfAbsent(workerId, id -> new SharedSendWindow());
        window.join();
        return window;
    }

    /** A connection to a peer's worker has ended. */
    public void leave(long workerId) {
        SharedSendWindow window = windows.get(workerId);
        if (window != null && window.leave()) {
            windows.remove(workerId);
        }
    }

    /** Returns whether all endpoints to the worker of this one share a queue: only in shared memory they do. */
    static boolean isShared(@Nullable UcpEndpoint endpoint) {
        return endpoint != null && !endpoint.isClosed() && endpoint.failure() == 0 && endpoint.transports().stream()
                .anyMatch(name -> SINGLE_QUEUE_TRANSPORTS.contains(name.substring(0, Math.max(0, name.indexOf('/')))));
    }

    public int size() {
        return windows.size();
    }
}
