package io.reactorucx.transport.connect;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.command.EngineCloseListeners;
import io.reactorucx.transport.command.EngineFuture;
import io.reactorucx.transport.config.AuthenticatorLimits;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.AuthenticatorThreads;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.HandshakeCounters;
import io.reactorucx.transport.handshake.ResourceLimits;
import io.reactorucx.transport.socket.SocketEventLoop;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Engines, each with its protocols, and the thread of control sockets. Engines of another context can be added: some
 * engines then have a view of their own, from which a connection gets one of them, and share limits, sockets and all
 * else with the others.
 *
 * <p>Thread: any.
 */
public final class EngineResources {

    /** This, or the resources of which this is a view. */
    private final EngineResources all;
    private final List<ConnectingEngine> engines;
    private final Function<ProgressEngine, ConnectingEngine> maker;
    private final ResourceLimits limits;
    private final HandshakeCounters handshakes;
    private final AuthenticatorThreads serverAuthenticators;
    /** Apart from those of servers, so that strangers keep no own client from connecting. */
    private final AuthenticatorThreads clientAuthenticators;
    private final AtomicInteger next = new AtomicInteger();
    private final Function<String, ThreadFactory> threads;
    private final EndSignal engineFailure;
    private @Nullable SocketEventLoop sockets;
    private volatile boolean disposed;

    /**
     * Creates the resources of engines.
     *
     * @param maxLeaseBytes the largest lease of their pool
     * @param threads makes the thread of control sockets, whose name begins with a text
     * @param protocols makes the protocols of each engine
     */
    public EngineResources(List<ProgressEngine> engines, ResourceLimits limits, long maxLeaseBytes,
            AuthenticatorLimits authenticators, Function<String, ThreadFactory> threads,
            Function<EngineConnections, List<ProtocolFactory>> protocols) {
        this.all = this;
        this.limits = limits;
        this.handshakes = new HandshakeCounters();
        this.threads = threads;
        this.engineFailure = new EndSignal();
        String name = engines.getFirst().config().name();
        this.serverAuthenticators = new AuthenticatorThreads(name + "-server-authenticator", authenticators,
                FairLimit.HALF);
        // The application has chosen the servers, which may well be one.
        this.clientAuthenticators = new AuthenticatorThreads(name + "-client-authenticator", authenticators, 1);
        this.maker = engine -> {
            EngineConnections connections = new EngineConnections(engine, limits, maxLeaseBytes);
            return new ConnectingEngine(engine, connections,
                    new PendingBindings(connections, limits.unboundEndpoints(), this::sockets),
                    protocols.apply(connections));
        };
        this.engines = new CopyOnWriteArrayList<>(engines.stream().map(maker).toList());
    }

    /** A view of some engines. */
    private EngineResources(EngineResources all, List<ConnectingEngine> engines) {
        this.all = all;
        this.engines = List.copyOf(engines);
        this.maker = all.maker;
        this.limits = all.limits;
        this.handshakes = all.handshakes;
        this.threads = all.threads;
        this.engineFailure = all.engineFailure;
        this.serverAuthenticators = all.serverAuthenticators;
        this.clientAuthenticators = all.clientAuthenticators;
    }

    /** Returns a view of the engines that there are now. */
    public EngineResources view() {
        return new EngineResources(all, engines);
    }

    /** Returns a view of more engines, which are to be started and then {@link #add added}. */
    public EngineResources prepare(List<ProgressEngine> more) {
        return new EngineResources(all, more.stream().map(maker).toList());
    }

    /** Adds the engines of a view, which have started. */
    public void add(EngineResources view) {
        all.engines.addAll(view.engines);
    }

    /** Registers the protocols with each engine; completes when all engines can connect. */
    public CompletableFuture<@Nullable Void> start(EngineCloseListeners closeListeners) {
        closeListeners.whenFailed((engine, cause) -> engineFailure.signal(new UcxException(UcxStatus.IO_ERROR,
                "engine", null, "the engine " + engine.name() + " has failed: " + cause, cause)));
        return EngineFuture.done(CompletableFuture.allOf(engines.stream().map(each -> {
            EngineConnections connections = each.connections();
            closeListeners.whenClosed(each.engine(), connections::engineClosed);
            return EngineFuture.call(each.engine(), worker -> {
                connections.start(worker, each.protocols());
                connections.route(ReservedMessageIds.PAIRING, each.bindings()::received);
                return each;
            });
        }).toArray(CompletableFuture[]::new)));
    }

    /** Returns all engines, in their order. */
    public List<ConnectingEngine> engines() {
        return engines;
    }

    /** Returns the endpoints of all engines that are parked. */
    public int parkedEndpoints() {
        return (int) engines.stream().mapToLong(each -> each.engine().counters().parkedEndpoints()).sum();
    }

    /** Returns the limits that clients share. */
    public ResourceLimits limits() {
        return limits;
    }

    /** Notices from now on how long operations take. */
    public void watchAges() {
        engines.forEach(each -> each.connections().watchAges());
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

    /** Returns the connections of an engine that are being bound. */
    PendingBindings bindings(EngineConnections of) {
        return engines.stream().filter(each -> each.connections() == of).findFirst().orElseThrow().bindings();
    }

    /** Returns the counters of handshakes of servers. */
    public HandshakeCounters handshakes() {
        return handshakes;
    }

    /** Returns the signal that an engine has failed. */
    public EndSignal engineFailure() {
        return engineFailure;
    }

    /** Returns the threads on which servers run authenticators. */
    public AuthenticatorThreads serverAuthenticators() {
        return serverAuthenticators;
    }

    /** Returns the threads on which clients run authenticators. */
    public AuthenticatorThreads clientAuthenticators() {
        return clientAuthenticators;
    }

    /** Returns the thread of control sockets; the first call starts it, as does the first one after it has failed. */
    public SocketEventLoop sockets() {
        return all.startedSockets();
    }

    private synchronized SocketEventLoop startedSockets() {
        if (sockets == null || sockets.hasFailed()) {
            sockets = SocketEventLoop.start(
                    threads.apply(engines.getFirst().engine().config().name() + "-sockets"));
            if (disposed) {
                sockets.close();
            }
        }
        return sockets;
    }

    /** Refuses new connections and servers from now on. */
    public void dispose() {
        all.disposed = true;
    }

    public boolean isDisposed() {
        return all.disposed;
    }

    /** Ends the threads of authenticators, and the thread of control sockets, which closes all sockets. */
    public CompletableFuture<Void> closeSockets() {
        serverAuthenticators.close();
        clientAuthenticators.close();
        return all.closeStartedSockets();
    }

    private synchronized CompletableFuture<Void> closeStartedSockets() {
        return sockets == null ? CompletableFuture.completedFuture(null) : sockets.close();
    }
}
