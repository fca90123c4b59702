package io.reactorucx.internal.connection;

import io.reactorucx.connection.PeerCounters;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.concurrent.EngineTimer;
import io.reactorucx.internal.concurrent.RetryingCommand;
import io.reactorucx.internal.config.ConnectionConfig;
import io.reactorucx.internal.endpoint.EndpointCloser;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.handshake.ConnectListener;
import io.reactorucx.internal.handshake.PeerInfo;
import io.reactorucx.internal.operation.OperationSubscription;
import io.reactorucx.internal.operation.InFlightOperations;
import io.reactorucx.internal.socket.ControlSocket;
import io.reactorucx.internal.ucp.ActiveMessageReceiver;
import io.reactorucx.internal.ucp.RendezvousOffer;
import io.reactorucx.internal.ucp.OpenOffers;
import io.reactorucx.internal.ucp.ActiveMessageReceivers;
import io.reactorucx.internal.ucp.ByteStreamReceiver;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One connection on its engine's thread: what is under way, who receives, and how it ends.
 *
 * <p>The end in good order: no new operations, those under way finish, FIN, the peer's FIN_ACK, a flushing close. Where
 * a step does not come in time, or the peer is lost, the endpoint is closed by force: UCX allows one close, so its mode
 * is chosen when all is known.
 */
public final class ConnectionCore {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCore.class);

    /** How far the connection is. */
    public enum State { CONNECTING, CONNECTED, CLOSING, CLOSED }

    private final EngineConnections registry;
    private final ConnectionConfig config;
    private final String peer;
    private final ControlFrameSender control;
    private final Sinks.Empty<Void> disposed = Sinks.empty();
    private final InFlightOperations operations = new InFlightOperations();
    private final ByteStreamReceiver stream = new ByteStreamReceiver(this);
    private final ActiveMessageReceivers receivers = new ActiveMessageReceivers();
    private final OpenOffers offers = new OpenOffers();
    public final ProtocolHandlers parts;
    public final EngineTimer closeTimer = new EngineTimer(this, this::outOfTime);
    private final TerminationCause end;
    public final Heartbeat heartbeat;
    private final FinExchange farewell = new FinExchange(this::sendControl);
    public final EndpointCloser close;
    public final ControlSocketHandler socket;
    private @Nullable UcpEndpoint endpoint;
    private @Nullable ConnectListener handshake;
    private volatile State state = State.CONNECTING;
    private boolean wired = true;
    private boolean givenUp;
    private int maxHeaderBytes = Integer.MAX_VALUE;
    private boolean overdue;
    private boolean ending;

    public ConnectionCore(EngineConnections registry, ConnectionConfig config, String peer) {
        this.registry = registry;
        this.config = config;
        this.peer = peer;
        this.control = new ControlFrameSender(peer);
        this.end = new TerminationCause(peer);
        this.heartbeat = new Heartbeat(this, control, registry.heartbeats());
        this.close = new EndpointCloser(peer, this::closedWhenIdle);
        this.socket = new ControlSocketHandler(this);
        this.parts = ProtocolHandlers.of(this);
    }

    /** The peer's end of a socket tells its end; this side's is closed with the connection. */
    public void with(ControlSocket signOfLife, ConnectListener listener) {
        handshake = listener;
        socket.is(signOfLife);
    }

    /** Begins to make the connection, with an endpoint whose errors come to {@link #endpointFailed}. */
    public void begin(UcpEndpoint made, ConnectListener listener) {
        endpoint = made;
        handshake = listener;
        registry.add(this, made);
    }

    /** The handshake is done; answers whether that came in time. */
    public boolean connected(@Nullable PeerInfo facts) {
        if (state != State.CONNECTING || handshake == null) {
            return false;
        }
        handshake = null;
        int ours = registry.worker().maxHeaderBytes();
        maxHeaderBytes = facts == null ? ours : Math.clamp(facts.limits().maxHeaderBytes(), 0,
                ours); // Not trusted to make sense.
        if (facts != null) {
            heartbeat.start(PeerInfo.heartbeat(PeerInfo.here(config, registry), facts));
            parts.connected(facts);
        }
        state = State.CONNECTED;
        return true;
    }

    /** The client's side: the endpoint is not what it will be before {@link #wired()}. */
    public void wiring() {
        wired = false;
    }

    /** The client's endpoint is connected, or has failed. */
    public void wired() {
        wired = true;
        // One that has run out of time as well is closing: in error mode NONE only now can it.
        if (givenUp && state == State.CONNECTING) {
            giveUp();
        } else {
            proceed();
        }
    }

    /**
     * Ends the making of the connection without a word to its {@link ConnectListener}, which knows. An endpoint that is
     * being connected is closed when it is connected or has failed, in the time for a handshake: UCX 1.13 may abort
     * when a socket that begins to connect is closed.
     */
    public void giveUp() {
        handshake = null;
        if (state == State.CONNECTING && (endpoint == null || wired)) {
            closeEndpoint(CloseMode.FORCE, end.closed("connect"));
        } else if (state == State.CONNECTING && !givenUp) {
            givenUp = true;
            closeTimer.start(config.handshakeTimeout());
        }
    }

    /** Refused the peer: what it may still say changes nothing, and it has some time to read why. */
    public void refused() {
        handshake = null;
        closeTimer.start(config.closeTimeout());
    }

    public void endpointFailed(UcpEndpoint failed, int rawStatus) {
        if (!releaseFails()) {
            gone(rawStatus);
        }
    }

    /** Closes the endpoint if it was to be released; answers whether. */
    boolean releaseFails() {
        boolean underWay = state != State.CLOSED && close.cannotRelease();
        if (underWay) {
            closeEndpoint(CloseMode.FORCE, end.closed("operation"));
        }
        return underWay;
    }

    /** The peer has left its endpoint, or is lost. */
    void gone(int rawStatus) {
        if (state == State.CLOSED || close.hasBegun()) {
            return;
        }
        if (farewell.isHeard()) {
            LOG.debug("[{}] the peer has left", peer);
            closeEndpoint(CloseMode.FORCE, end.closed("operation"));
        } else if (config.raw() && state == State.CONNECTED) {
            end.lost(end.error(rawStatus, null, "connection"), null);
            operations.endAllButReceives(end);
            ReceiveDrain.take(this, () -> lost(PeerCounters.Loss.TRANSPORT, rawStatus, null));
        } else {
            lost(PeerCounters.Loss.TRANSPORT, rawStatus, null);
        }
    }

    /** The peer is gone, or gives no sign of life: all that is under way ends with that error. */
    void lost(PeerCounters.Loss cause, int rawStatus, @Nullable String why) {
        if (state == State.CLOSED || close.hasBegun()) {
            return;
        }
        UcxException error = end.error(rawStatus, why, "connection");
        LOG.debug("[{}] lost", peer, error);
        registry.counters().lost(cause);
        if (state != State.CLOSING) {
            // First of all: whoever hears of it below may close this side, which is then no end in good order.
            end.lost(error, why);
        }
        state = State.CLOSING;
        operations.forEach(operation -> operation.abandon(end.error(rawStatus, why, operation.kind().ucxName())));
        endReceivers();
        closeTimer.start(config.closeTimeout());
        closeEndpoint(CloseMode.FORCE, end.error(rawStatus, why, "connect"));
    }

    void control(ControlFrame frame) {
        if (socket.exists() && state == State.CONNECTING) {
            return; // Of the connection that had the endpoint before.
        }
        switch (frame.type()) {
            case HELLO, WELCOME, REJECT, CHALLENGE, PROOF, READY -> {
                ConnectListener waiting = handshake;
                if (waiting != null) {
                    waiting.received(frame);
                }
            }
            case PING, RELEASE, RELEASED -> { } // Has been heard, or belongs elsewhere.
            case FIN -> peerFinished();
            case FIN_ACK -> leave();
        }
    }

    private void peerFinished() {
        if (state == State.CLOSED || !farewell.hear()) {
            return;
        }
        // First of all: whoever hears of the end below may close this side, and the peer would wait for its answer in
        // vain.
        parts.peerFinished();
        if (state == State.CLOSING || nothingWaits()) {
            farewell.answer();
        }
        UcxClosedException error = new UcxClosedException("operation", peer, "the peer has closed the connection");
        failHandshake(error);
        endReceivers();
        operations.endReceives(error, registry.worker());
        beginClose(CloseMode.FLUSH);
    }

    void failHandshake(RuntimeException error) {
        ConnectListener waiting = handshake;
        handshake = null;
        if (waiting != null) {
            waiting.failed(error);
        }
    }

    /** Whether nothing that the peer has sent waits to be fetched. */
    private boolean nothingWaits() {
        return offers.isEmpty() && parts.isQuiet();
    }

    private void endReceivers() {
        receivers.end(end.loss());
        stream.end(end.loss());
    }

    public void beginClose(CloseMode mode) {
        if (state == State.CLOSED) {
            return;
        }
        if (state == State.CLOSING && mode == CloseMode.FLUSH) {
            offers.releaseAll(registry.worker());
            proceed();
        } else if (state == State.CONNECTING || mode == CloseMode.FORCE
                || (endpoint != null && endpoint.failure() != 0)) {
            closeEndpoint(CloseMode.FORCE, end.closed("operation"));
        } else {
            state = State.CLOSING;
            parts.closing();
            endReceivers();
            operations.endReceives(end.closed("receive"), registry.worker());
            closeTimer.start(config.closeTimeout());
            proceed();
        }
    }

    /** The next step of the end, if what it waits for has come. */
    private void proceed() {
        UcpEndpoint open = endpoint;
        if (state != State.CLOSING || ending) {
            return;
        }
        if (farewell.isHeard() && nothingWaits()) {
            farewell.answer();
        }
        boolean idle = parts.isQuiet() && operations.isQuiet()
                && (open == null || open.isClosed() || open.inFlight() == open.stream().receives());
        if (!close.hasBegun() && idle && open != null) {
            if (config.raw() || overdue) {
                closeEndpoint(CloseMode.FLUSH, end.closed("operation"));
            } else if (farewell.isHeard()) {
                if (!farewell.isAnswered()) {
                    return;
                }
                // The end of the socket tells that the peer has closed. Without a socket nothing may.
                if (!socket.exists()) {
                    leave();
                }
            } else if (!farewell.isSaid() && !farewell.say()) {
                closeEndpoint(CloseMode.FLUSH, end.closed("operation"));
            }
        }
        closedWhenIdle();
    }

    /** The peer has all that was sent, and says no more. */
    private void leave() {
        if (endpoint != null && (farewell.isSaid() || farewell.isHeard())) {
            close.afterLastWord(endpoint, socket.exists(), () ->
                    closeEndpoint(CloseMode.FORCE, end.closed("operation")));
        }
    }

    private void outOfTime() {
        if (state != State.CLOSED) {
            LOG.debug("[{}] not closed in good order within {}", peer, config.closeTimeout());
            overdue = true;
            close.cannotRelease();
            closeEndpoint(CloseMode.FORCE, end.closed("operation"));
        }
    }

    /** Parts with the endpoint: releases it, or closes it. */
    private void closeEndpoint(CloseMode wanted, RuntimeException handshakeError) {
        UcpEndpoint open = endpoint;
        state = State.CLOSING;
        ending = true;
        heartbeat.stop();
        failHandshake(handshakeError);
        operations.endReceives(end.reason(OperationKind.TAG_RECEIVE), registry.worker());
        operations.forEach(operation -> operation.endpointCloses(end.reason(operation.kind())));
        parts.ended(end.loss());
        endReceivers();
        if (open == null) {
            close.nothing();
        } else if (!close.hasBegun()) {
            offers.releaseAll(registry.worker());
            if (!overdue && !operations.waitsForPeer() && close.releases()) {
                closeTimer.start(config.closeTimeout());
            } else if (!close.close(open, wanted)) {
                overdue = true;
                LOG.warn("[{}] stays until {} operations end: error mode NONE allows no other close", peer,
                        open.inFlight());
            }
        }
        ending = false;
        closedWhenIdle();
    }

    /**
     * Nobody hears of the end before UCX has let go of the memory of every operation. A flushing close touches none,
     * and when it takes too long the receives of the stream, which nothing else ends, are not waited for: their leases
     * are ours, and stay until UCX lets go. Nor is what UCX keeps after a close by force: up to 1.22 it waits for room
     * in the queue of a dead peer in shared memory.
     */
    void closedWhenIdle() {
        boolean idle = overdue && close.hasBegun() ? operations.isQuiet() || close.isForced() : close.hasEnded()
                && operations.isEmpty();
        if (state == State.CLOSING && idle) {
            closed();
        }
    }

    private void closed() {
        state = State.CLOSED;
        closeTimer.stop();
        heartbeat.stop();
        operations.forEach(operation -> operation.abandon(end.reason(operation.kind())));
        registry.remove(this, endpoint);
        close.over();
        disposed.tryEmitEmpty();
    }

    /** The engine is gone, and with it all that was under way. */
    void engineClosed() {
        if (state != State.CLOSED) {
            failHandshake(end.closed("connect"));
            end.lost(end.closed("receive"), null);
        }
        parts.ended(end.loss());
        receivers.abandon(end.closed("receive"));
        stream.abandon(end.closed("receive"));
        if (state != State.CLOSED) {
            closed();
        }
    }

    /** Whether all that receive have heard of the end. */
    boolean isDelivered() {
        return receivers.isEmpty() && stream.isDelivered();
    }

    /** How a Flux goes on of which an operation was refused: it is complete only after an end in good order. */
    public <T> Mono<T> afterEnd(UcxClosedException refusal) {
        return end.afterwards(state == State.CONNECTED && !farewell.isHeard() ? refusal : null);
    }

    /** Answers whether the frame is on its way. */
    public boolean sendControl(ControlFrame frame) {
        UcpEndpoint open = endpoint;
        return open != null && !close.hasBegun() && control.send(open, frame, (status, length, tag) -> proceed());
    }

    /** Takes a message on a reserved id; answers whether it did. */
    boolean offer(UcpActiveMessage message) {
        return (state == State.CONNECTED || state == State.CLOSING && !close.hasBegun()) && parts.offer(message);
    }

    /**
     * Sends for a part of the protocol; as {@link UcpEndpoint#amSend}, from when the handshake is done until the
     * endpoint closes.
     */
    public boolean send(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            AmProtocol protocol,
            Completion whenDone) {
        UcpEndpoint open = endpoint;
        if (open == null || close.hasBegun() || state == State.CONNECTING || state == State.CLOSED) {
            throw end.closed("am_send");
        }
        heartbeat.sent();
        return open.amSend(reservedId, header, payload, registration, protocol, true, whenDone);
    }

    /** Gives an offer up that nobody will fetch. */
    public void release(RendezvousOffer offer) {
        offers.release(offer, registry.worker());
        proceed();
    }

    public OpenOffers offers() {
        return offers;
    }

    public boolean add(ActiveMessageReceiver receiver) {
        if (state != State.CONNECTED || farewell.isHeard()) {
            receiver.end(state == State.CONNECTED ? null : new UcxClosedException("receive", peer,
                    "the connection is closed"));
            return true;
        }
        if (!receivers.add(receiver)) {
            return false;
        }
        registry.receive(receiver.id());
        return true;
    }

    public ActiveMessageReceivers receivers() {
        return receivers;
    }

    /** The endpoint for a new operation; refuses once the end has begun, but for data that has arrived before. */
    public UcpEndpoint endpointFor(OperationKind kind) {
        UcpEndpoint open = endpoint;
        boolean usable = state == State.CONNECTED || (kind == OperationKind.AM_FETCH && state == State.CLOSING
                && !close.hasBegun());
        if (open == null || !usable) {
            throw end.closed(kind.ucxName());
        }
        return open;
    }

    public void link(OperationSubscription<?> operation) {
        operations.add(operation);
    }

    public void unlink(OperationSubscription<?> operation) {
        operations.remove(operation);
    }

    public void operationEnded() {
        proceed();
    }

    public RuntimeException explained(RuntimeException error, OperationKind kind) {
        return end.explained(error, kind, endpoint);
    }

    /** Runs something on the engine's thread; nothing happens once the engine is closed. */
    public void execute(Consumer<UcpWorker> action) {
        execute(action, closed -> LOG.debug("[{}] the engine is closed", peer));
    }

    /** As above, and tells when the engine is closed. */
    public void execute(Consumer<UcpWorker> action, Consumer<RuntimeException> whenEngineClosed) {
        new RetryingCommand(engine(), action, whenEngineClosed).submit();
    }

    public Mono<Void> close(CloseMode mode) {
        return Mono.defer(() -> {
            execute(worker -> beginClose(mode));
            return disposed.asMono();
        });
    }

    public Mono<Void> onDispose() {
        return disposed.asMono();
    }

    public ProgressEngine engine() {
        return registry.engine();
    }

    public EngineConnections registry() {
        return registry;
    }

    public ConnectionConfig config() {
        return config;
    }

    public String peer() {
        return peer;
    }

    public int maxHeaderBytes() {
        return maxHeaderBytes;
    }

    public @Nullable UcpEndpoint endpoint() {
        return endpoint;
    }

    public State state() {
        return state == State.CONNECTED && farewell.isHeard() ? State.CLOSING : state;
    }

    public ByteStreamReceiver stream() {
        return stream;
    }
}
