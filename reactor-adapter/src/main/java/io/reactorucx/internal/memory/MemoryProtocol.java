package io.reactorucx.internal.memory;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.ProtocolHandler;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.memory.UcxMemoryWindow;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Remote memory that is served, over one connection and in both directions. On the engine's thread. */
public final class MemoryProtocol implements ProtocolHandler {

    static final Logger LOG = LoggerFactory.getLogger(MemoryProtocol.class);

    private final ConnectionCore connection;
    private final WindowRegistry windows;
    private final MemoryServer owner;
    private final MemoryClient caller;

    MemoryProtocol(ConnectionCore connection, WindowRegistry windows) {
        this.connection = connection;
        this.windows = windows;
        this.owner = new MemoryServer(connection, windows);
        this.caller = new MemoryClient(connection, windows.config().maxQueuedRequests());
    }

    public MemoryClient caller() {
        return caller;
    }

    void evict(UcxMemoryWindow window) {
        owner.evict(window);
    }

    @Override
    public void received(UcpActiveMessage message) {
        String violation = switch (MemoryFrame.parse(message.header(), message.length())) {
            case null -> "a message on id " + message.id() + " that is none of the protocol";
            case MemoryFrame.Request request -> owner.requested(request, message);
            case MemoryFrame.Reply reply -> caller.replied(reply, message);
        };
        UcpWorker worker = connection.registry().worker();
        if (!message.isInline() && worker.activeMessages().holds(message)) {
            worker.activeMessages().release(message);
        }
        if (violation != null) {
            windows.violated();
            LOG.debug("[{}] closed by force: {}", connection.peer(), violation);
            connection.beginClose(CloseMode.FORCE);
        }
    }

    @Override
    public void closing() {
        owner.closing();
    }

    @Override
    public boolean isQuiet() {
        return owner.isQuiet() && caller.isQuiet();
    }

    @Override
    public void ended(@Nullable UcxException loss) {
        owner.closing();
        caller.ended(loss);
    }
}
