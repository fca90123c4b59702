package io.reactorucx.internal.connect;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.buffer.BufferPool;
import io.reactorucx.internal.buffer.LeakReporter;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.concurrent.EngineCloseListeners;
import io.reactorucx.internal.connection.EngineConnections;
import io.reactorucx.internal.endpoint.IdleEndpointLimit;
import io.reactorucx.internal.frame.ReservedMessageIds;
import io.reactorucx.internal.handshake.HandshakeCounters;
import io.reactorucx.internal.memory.MemoryProtocolFactory;
import io.reactorucx.internal.memory.WindowRegistry;
import io.reactorucx.internal.message.MessageProtocolFactory;
import io.reactorucx.internal.socket.SocketEventLoop;
import io.reactorucx.internal.ucp.ActiveMessageRouter;
import io.reactorucx.internal.ucp.ByteStreamReceiver;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The engines, each with its protocols, and the thread of control sockets. No other class knows all protocols.
 *
 * <p>Thread: any.
 */
public final class EngineResources {

    private final List<ConnectingEngine> engines;
    private final HandshakeCounters handshakes = new HandshakeCounters();
    private final AtomicInteger next = new AtomicInteger();
    private @Nullable SocketEventLoop sockets;
    private volatile boolean disposed;

    public EngineResources(List<ProgressEngine> engines, IdleEndpointLimit idleLimit, BufferPool pool,
            LeakReporter leaks) {
        this.engines = engines.stream().map(engine -> {
            EngineConnections connections = new EngineConnections(engine, idleLimit);
            return new ConnectingEngine(connections, new PendingBindings(connections),
                    new MessageProtocolFactory(pool), new ActiveMessageRouter(connections, leaks));
        }).toList();
    }

    /** Registers the protocols with each engine; completes when all engines can connect. */
    public Mono<Void> start(EngineCloseListeners closeListeners, WindowRegistry windows) {
        return Flux.fromIterable(engines).flatMap(each -> {
            EngineConnections connections = each.connections();
            closeListeners.whenClosed(each.engine(), connections::engineClosed);
            return EngineCall.mono(each.engine(), worker -> {
                connections.start(worker, List.of(each.messages(), new MemoryProtocolFactory(windows),
                        each.activeMessages(), ByteStreamReceiver::new));
                connections.route(ReservedMessageIds.PAIRING, each.bindings()::received);
                return each;
            });
        }).then();
    }

    /** Returns all engines, in their order. */
    public List<ConnectingEngine> engines() {
        return engines;
    }

    /** Returns the addresses on which UCX's tcp listens. */
    public List<InetSocketAddress> listeningAddresses() {
        return engines.stream().flatMap(each -> each.connections().worker().tcpListeners().addresses().stream())
                .toList();
    }

    /** Returns the engine for the next connection. */
    public ConnectingEngine next() {
        return engines.get(Math.floorMod(next.getAndIncrement(), engines.size()));
    }

    /** Returns the connections of all engines, engine by engine. */
    public List<EngineConnections> connections() {
        return engines.stream().map(ConnectingEngine::connections).toList();
    }

    /** Returns the counters of handshakes of servers. */
    public HandshakeCounters handshakes() {
        return handshakes;
    }

    /** Returns the thread of control sockets; the first call starts it. */
    public synchronized SocketEventLoop sockets() {
        if (sockets == null) {
            sockets = SocketEventLoop.start(engines.getFirst().engine().config().name() + "-sockets");
            if (disposed) {
                sockets.close();
            }
        }
        return sockets;
    }

    /** Refuses new connections and servers from now on. */
    public void dispose() {
        disposed = true;
    }

    public boolean isDisposed() {
        return disposed;
    }

    /** Ends the thread of control sockets, which closes all sockets. */
    public synchronized CompletableFuture<Void> closeSockets() {
        return sockets == null ? CompletableFuture.completedFuture(null) : sockets.close();
    }
}
