package io.reactorucx.internal.connection;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.frame.ReservedMessageIds;
import io.reactorucx.internal.handshake.PeerInfo;
import io.reactorucx.internal.memory.MemoryProtocol;
import io.reactorucx.internal.message.MessageMultiplexer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the protocol that a connection speaks: none with a raw peer. On the engine's thread.
 *
 * @param messages flow-controlled messages
 * @param memory served remote memory
 * @param all every part, those included that have no name here
 */
public record ProtocolHandlers(@Nullable MessageMultiplexer messages, @Nullable MemoryProtocol memory,
        List<ProtocolHandler> all) {

    static ProtocolHandlers of(ConnectionCore connection) {
        if (connection.config().raw()) {
            return new ProtocolHandlers(null, null, List.of());
        }
        MessageMultiplexer messages = new MessageMultiplexer(connection);
        MemoryProtocol memory = new MemoryProtocol(connection);
        return new ProtocolHandlers(messages, memory, List.of(messages, memory));
    }

    /** The handshake is done. */
    void connected(PeerInfo peer) {
        if (messages != null) {
            messages.connected(peer);
        }
    }

    /** Hands a message to its part; answers whether there is one. */
    boolean offer(UcpActiveMessage message) {
        ProtocolHandler part = message.id() == ReservedMessageIds.MESSAGES ? messages
                : message.id() == ReservedMessageIds.MEMORY ? memory : null;
        if (part == null) {
            return false;
        }
        part.received(message);
        return true;
    }

    void peerFinished() {
        all.forEach(ProtocolHandler::peerFinished);
    }

    void closing() {
        all.forEach(ProtocolHandler::closing);
    }

    boolean isQuiet() {
        return all.stream().allMatch(ProtocolHandler::isQuiet);
    }

    void ended(@Nullable UcxException loss) {
        all.forEach(part -> part.ended(loss));
    }
}
