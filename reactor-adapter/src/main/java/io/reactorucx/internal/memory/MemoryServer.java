package io.reactorucx.internal.memory;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MemoryReplyStatus;
import io.reactorucx.memory.UcxMemoryWindow;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Serves this side's memory to the peer of one connection. On the engine's thread. */
final class MemoryServer {

    private final ConnectionCore connection;
    private final WindowRegistry windows;
    private final Set<MemoryRequestHandler> inService = new HashSet<>();
    private boolean closing;

    MemoryServer(ConnectionCore connection, WindowRegistry windows) {
        this.connection = connection;
        this.windows = windows;
    }

    int maxRequests() {
        return windows.config().maxRequests();
    }

    /** Takes a request; answers what is wrong with the peer, null for nothing. */
    @Nullable String requested(MemoryFrame.Request request, UcpActiveMessage message) {
        // Twice what the peer was told: it may have a reply, and go on, before UCX tells this side that the reply is
        // away.
        if (inService.size() >= 2 * maxRequests()) {
            return "more than " + maxRequests() + " requests for memory at once";
        }
        MemoryRequestHandler served = new MemoryRequestHandler(connection, this, request);
        inService.add(served);
        served.serve(message, windows.find(request.key()));
        return null;
    }

    /** UCX has sent the reply, or the connection is gone. */
    void ended(MemoryRequestHandler served, MemoryReplyStatus status, long bytes) {
        if (!inService.remove(served)) {
            return;
        }
        if (status == MemoryReplyStatus.OK) {
            windows.served(bytes);
        } else {
            windows.refused();
        }
        connection.operationEnded();
    }

    /** What is asked for from now on is refused. */
    void closing() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    boolean isQuiet() {
        return inService.isEmpty();
    }

    /** The time is up for those who keep a window from being revoked. */
    void evict(UcxMemoryWindow window) {
        if (inService.stream().anyMatch(served -> served.uses(window))) {
            MemoryProtocol.LOG.debug("[{}] closed by force: it keeps {} from being revoked", connection.peer(), window);
            connection.beginClose(CloseMode.FORCE);
        }
    }
}
