package io.reactorucx;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the protocol that a connection speaks: none with a raw peer. On the engine's thread.
 *
 * @param messages flow-controlled messages
 * @param memory served remote memory
 * @param all every part, those included that have no name here
 */
record ProtocolParts(@Nullable MessageMux messages, @Nullable MemoryPart memory, List<ProtocolPart> all) {

    static ProtocolParts of(ConnectionCore connection) {
        if (connection.config().raw()) {
            return new ProtocolParts(null, null, List.of());
        }
        MessageMux messages = new MessageMux(connection);
        MemoryPart memory = new MemoryPart(connection);
        return new ProtocolParts(messages, memory, List.of(messages, memory));
    }

    /** The handshake is done. */
    void connected(PeerFacts peer) {
        if (messages != null) {
            messages.connected(peer);
        }
    }

    /** Hands a message to its part; answers whether there is one. */
    boolean offer(UcpActiveMessage message) {
        ProtocolPart part = message.id() == ReservedIds.MESSAGES ? messages : message.id() == ReservedIds.MEMORY ? memory : null;
        if (part == null) {
            return false;
        }
        part.received(message);
        return true;
    }

    void peerFinished() {
        all.forEach(ProtocolPart::peerFinished);
    }

    void closing() {
        all.forEach(ProtocolPart::closing);
    }

    boolean isQuiet() {
        return all.stream().allMatch(ProtocolPart::isQuiet);
    }

    void ended(@Nullable UcxException loss) {
        all.forEach(part -> part.ended(loss));
    }
}
