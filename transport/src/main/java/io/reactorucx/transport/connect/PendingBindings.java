package io.reactorucx.transport.connect;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpPeerAddress;
import io.reactorucx.transport.command.RetryingCommand;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.endpoint.EndpointAllocator;
import io.reactorucx.transport.endpoint.PeerHost;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.socket.PortProbe;
import io.reactorucx.transport.socket.SocketEventLoop;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one engine that are being bound to an endpoint, by the token that their peers have to send.
 *
 * <p>Thread: engine.
 */
public final class PendingBindings {

    private final EngineConnections connections;
    private final FairLimit unbound;
    private final Supplier<SocketEventLoop> sockets;
    /** Two maps, because each side takes other frames. */
    private final Map<Long, EndpointBinding> initiating = new HashMap<>();
    private final Map<Long, EndpointBinding> accepting = new HashMap<>();

    /**
     * Creates them for one engine.
     *
     * @param unbound limits the endpoints for clients of all engines that are not bound yet
     * @param sockets gives the thread that asks tcp ports
     */
    PendingBindings(EngineConnections connections, FairLimit unbound, Supplier<SocketEventLoop> sockets) {
        this.connections = connections;
        this.unbound = unbound;
        this.sockets = sockets;
    }

    /** Returns how many connections wait for BIND, of all peers. */
    int awaiting() {
        return accepting.size();
    }

    public FairLimit unbound() {
        return unbound;
    }

    /**
     * Leaves out of an address what UCX must not connect to: tcp ports that do not answer, and what the peer cannot
     * have.
     *
     * @param host where the peer is, null where it has no control socket
     * @param whenKnown gets what is left, now or later, unless the engine closes
     */
    void reachable(UcpPeerAddress peer, @Nullable PeerHost host, Consumer<UcpPeerAddress> whenKnown) {
        Set<InetSocketAddress> foreign = host == null ? Set.of() : host.foreign(peer);
        UcpPeerAddress own = (host == null ? peer : host.withoutForeignMemory(peer)).withoutTcp(foreign);
        if (own.tcpAddresses().isEmpty()) {
            whenKnown.accept(own);
            return;
        }
        PortProbe.ask(sockets.get(), own.tcpAddresses(), silent -> new RetryingCommand(connections.engine(),
                worker -> whenKnown.accept(own.withoutTcp(silent)), closed -> { }).submit());
    }

    /** Returns the allocator of the engine's endpoints. */
    EndpointAllocator endpoints() {
        return connections.endpoints();
    }

    void addInitiating(long token, EndpointBinding binding) {
        remove(token, binding);
        initiating.put(token, binding);
    }

    void addAccepting(long token, EndpointBinding binding) {
        accepting.put(token, binding);
    }

    void remove(long token, EndpointBinding binding) {
        initiating.remove(token, binding);
        accepting.remove(token, binding);
    }

    /** Hands a message on the id of binding to its connection, and drops one that belongs to none. */
    void received(UcpActiveMessage message) {
        boolean fits = !message.isRendezvous() && message.length() <= BindFrame.MAX_BYTES;
        BindFrame frame = fits ? BindFrame.parse(connections.data(message).toArray(ValueLayout.JAVA_BYTE)) : null;
        EndpointBinding binding = frame == null ? null : find(frame);
        if (frame == null) {
            connections.dropGarbage(message);
        } else if (binding == null) {
            connections.dropForeign(message);
        } else {
            binding.received(frame, message);
        }
    }

    private @Nullable EndpointBinding find(BindFrame frame) {
        return switch (frame.type()) {
            case BIND, READY -> accepting.get(frame.token());
            case BOUND -> initiating.get(frame.token());
            case ADDRESS -> null;
        };
    }
}
