package io.reactorucx;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parts of the protocol that a connection speaks, by their reserved ids: none with a raw peer. On the engine's thread. */
record ProtocolParts(Map<Integer, ProtocolPart> byId) {

    static ProtocolParts of(ConnectionCore connection) {
        return connection.config().raw() ? new ProtocolParts(Map.of())
                : new ProtocolParts(Map.of(ReservedIds.MEMORY, new MemoryPart(connection)));
    }

    @Nullable MemoryPart memory() {
        return (MemoryPart) byId.get(ReservedIds.MEMORY);
    }

    /** Hands a message to its part; answers whether there is one. */
    boolean offer(UcpActiveMessage message) {
        ProtocolPart part = byId.get(message.id());
        if (part != null) {
            part.received(message);
        }
        return part != null;
    }

    void peerFinished() {
        byId.values().forEach(ProtocolPart::peerFinished);
    }

    void closing() {
        byId.values().forEach(ProtocolPart::closing);
    }

    boolean isQuiet() {
        return byId.values().stream().allMatch(ProtocolPart::isQuiet);
    }

    void ended(@Nullable UcxException loss) {
        byId.values().forEach(part -> part.ended(loss));
    }
}
