package io.reactorucx.transport.connection;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.transport.handshake.PeerInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The protocols of one connection, in the order of their factories.
 *
 * <p>Thread: engine, but for {@link #find}, which any thread may call.
 */
public final class ProtocolHandlers {

    private final ProtocolHandler[] handlers;
    private final int[] reservedIds;

    /** Creates the table; the id of each handler stands at the same place. */
    ProtocolHandlers(List<ProtocolHandler> handlers, List<Integer> reservedIds) {
        this.handlers = handlers.toArray(ProtocolHandler[]::new);
        this.reservedIds = reservedIds.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Returns the handler of a type, or null when the connection has none. */
    <T extends ProtocolHandler> @Nullable T find(Class<T> type) {
        for (ProtocolHandler handler : handlers) {
            if (type.isInstance(handler)) {
                return type.cast(handler);
            }
        }
        return null;
    }

    /** Hands a message to the protocol of its reserved id, and returns whether there is one. */
    boolean offer(UcpActiveMessage message) {
        for (int i = 0; i < handlers.length; i++) {
            if (reservedIds[i] == message.id()) {
                handlers[i].received(message);
                return true;
            }
        }
        return false;
    }

    void connected(PeerInfo peer) {
        for (ProtocolHandler handler : handlers) {
            handler.connected(peer);
        }
    }

    /** See {@link ProtocolHandler#accepted()}. */
    public void accepted() {
        for (ProtocolHandler handler : handlers) {
            handler.accepted();
        }
    }

    /** See {@link ProtocolHandler#handlerEnded(boolean)}. */
    public void handlerEnded(boolean failed) {
        for (ProtocolHandler handler : handlers) {
            handler.handlerEnded(failed);
        }
    }

    /** See {@link ProtocolHandler#handlerInterrupted()}. */
    public void handlerInterrupted() {
        for (ProtocolHandler handler : handlers) {
            handler.handlerInterrupted();
        }
    }

    int messagesSent() {
        int sum = 0;
        for (ProtocolHandler handler : handlers) {
            sum += handler.messagesSent();
        }
        return sum;
    }

    int messagesReceived() {
        int sum = 0;
        for (ProtocolHandler handler : handlers) {
            sum += handler.messagesReceived();
        }
        return sum;
    }

    void refused(int messageNumber) {
        for (ProtocolHandler handler : handlers) {
            handler.refused(messageNumber);
        }
    }

    void peerFinished() {
        for (ProtocolHandler handler : handlers) {
            handler.peerFinished();
        }
    }

    void closing() {
        for (ProtocolHandler handler : handlers) {
            handler.closing();
        }
    }

    void endReceivers(@Nullable UcxException loss) {
        for (ProtocolHandler handler : handlers) {
            handler.endReceivers(loss);
        }
    }

    boolean isQuiet() {
        for (ProtocolHandler handler : handlers) {
            if (!handler.isQuiet()) {
                return false;
            }
        }
        return true;
    }

    boolean isConsumed() {
        for (ProtocolHandler handler : handlers) {
            if (!handler.isConsumed()) {
                return false;
            }
        }
        return true;
    }

    void abandonOffers() {
        for (ProtocolHandler handler : handlers) {
            handler.abandonOffers();
        }
    }

    void ended(@Nullable UcxException loss) {
        for (ProtocolHandler handler : handlers) {
            handler.ended(loss);
        }
    }

    boolean isDelivered() {
        for (ProtocolHandler handler : handlers) {
            if (!handler.isDelivered()) {
                return false;
            }
        }
        return true;
    }

    void underWay(OperationVisitor visitor) {
        for (ProtocolHandler handler : handlers) {
            handler.underWay(visitor);
        }
    }

    void abandon(RuntimeException cause) {
        for (ProtocolHandler handler : handlers) {
            handler.abandon(cause);
        }
    }
}
