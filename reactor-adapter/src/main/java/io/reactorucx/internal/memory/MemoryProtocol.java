package io.reactorucx.internal.memory;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.HeaderBuffer;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ProtocolViolationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The protocol of served remote memory on one connection, in both directions. Thread: engine. */
public final class MemoryProtocol implements ProtocolHandler {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryProtocol.class);

    private final ConnectionCore connection;
    private final WindowRegistry windows;
    private final MemoryServer server;
    private final MemoryClient client;

    MemoryProtocol(ConnectionCore connection, WindowRegistry windows, ProtocolCounters counts) {
        this.connection = connection;
        this.windows = windows;
        this.server = new MemoryServer(connection, windows);
        this.client = new MemoryClient(connection, counts, windows.config().maxQueuedRequests());
    }

    public MemoryClient client() {
        return client;
    }

    @Override
    public void received(UcpActiveMessage message) {
        try {
            switch (MemoryFrame.parse(HeaderBuffer.behindToken(message.header()), message.length())) {
                case null -> throw new ProtocolViolationException("a message on id " + message.id()
                        + " that is none of the protocol");
                case MemoryFrame.Request request -> server.requested(request, message);
                case MemoryFrame.Reply reply -> client.replied(reply, message);
            }
            release(message);
        } catch (ProtocolViolationException e) {
            release(message);
            windows.violated();
            LOG.debug("[{}] closed by force: {}", connection.name(), e.getMessage());
            connection.beginClose(CloseMode.FORCE);
        }
    }

    /** Releases data that no handler has fetched. */
    private void release(UcpActiveMessage message) {
        UcpWorker worker = connection.registry().worker();
        if (!message.isInline() && worker.activeMessages().holds(message)) {
            worker.activeMessages().release(message);
        }
    }

    @Override
    public void closing() {
        server.closing();
    }

    @Override
    public boolean isQuiet() {
        return server.isQuiet() && client.isQuiet();
    }

    @Override
    public void ended(@Nullable UcxException loss) {
        server.closing();
        client.ended(loss);
    }
}
