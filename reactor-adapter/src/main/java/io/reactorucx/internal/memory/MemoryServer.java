package io.reactorucx.internal.memory;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MemoryReplyStatus;
import io.reactorucx.memory.ServedMemoryStatistics;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves exported windows of this side to the peer of one connection. Thread: engine. */
final class MemoryServer {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryServer.class);

    private final ConnectionCore connection;
    private final WindowRegistry windows;
    private final Set<MemoryRequestHandler> inService = new HashSet<>();
    private boolean serves;
    private boolean closing;

    MemoryServer(ConnectionCore connection, WindowRegistry windows) {
        this.connection = connection;
        this.windows = windows;
    }

    int maxRequests() {
        return windows.config().maxRequests();
    }

    /** Serves a request. Throws {@link ProtocolViolationException} when the peer sends more at once than it may. */
    void requested(MemoryFrame.Request request, UcpActiveMessage message) {
        // Twice the number that the peer knows: it may have a reply, and send the next request, before UCX reports the
        // reply as sent on this side.
        if (inService.size() >= 2 * maxRequests()) {
            throw new ProtocolViolationException("more than " + maxRequests() + " requests for memory at once");
        }
        if (!serves) {
            serves = true;
            windows.add(this);
            connection.end().listen(() -> windows.remove(this));
        }
        MemoryRequestHandler handler = new MemoryRequestHandler(connection, this, request);
        inService.add(handler);
        handler.serve(message, windows.find(request.key()));
    }

    /** The reply of a request is sent, or the connection has ended. */
    void ended(MemoryRequestHandler handler, MemoryReplyStatus status, MemoryFrame.Request request) {
        if (!inService.remove(handler)) {
            return;
        }
        if (status == MemoryReplyStatus.OK) {
            windows.served(access(request), request.length());
        } else {
            windows.refused(access(request));
        }
        connection.operationEnded();
    }

    private static ServedMemoryStatistics.Access access(MemoryFrame.Request request) {
        return switch (request) {
            case MemoryFrame.Write write -> ServedMemoryStatistics.Access.PUT;
            case MemoryFrame.Read read -> ServedMemoryStatistics.Access.GET;
            case MemoryFrame.Atomic atomic -> ServedMemoryStatistics.Access.ATOMIC;
        };
    }

    /** Refuses requests from now on. */
    void closing() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    boolean isQuiet() {
        return inService.isEmpty();
    }

    /** Closes the connection by force if it still uses a window after its revoke timeout. Any thread. */
    void evict(ExportedWindow window) {
        connection.executeUrgent(worker -> {
            if (inService.stream().anyMatch(handler -> handler.uses(window))) {
                LOG.debug("[{}] closed by force: it keeps {} from being revoked", connection.name(),
                        window);
                connection.beginClose(CloseMode.FORCE);
            }
        });
    }
}
