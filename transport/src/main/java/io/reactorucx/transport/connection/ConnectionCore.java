package io.reactorucx.transport.connection;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.command.RetryingCommand;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.endpoint.InFlightOperation;
import io.reactorucx.transport.endpoint.InFlightOperations;
import io.reactorucx.transport.endpoint.OperationOwner;
import io.reactorucx.transport.frame.ApplicationHeader;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.ConnectListener;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.socket.ControlChannel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: its endpoint, its operations in flight and its protocols. {@link ConnectionLifecycle} holds its
 * phase, {@link ConnectionTermination} ends it.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
public final class ConnectionCore implements OperationOwner {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCore.class);

    private final EngineConnections connections;
    private final ConnectionConfig config;
    private final String peer;
    private final @Nullable ConnectionIdentity identity;
    private final Carrier carrier;
    private final HeaderBuffer headers = new HeaderBuffer();
    private final ConnectionLifecycle life = new ConnectionLifecycle();
    private final InFlightOperations operations = new InFlightOperations();
    private final ControlFrameSender control;
    private final ConnectionTermination termination;
    private final Heartbeat heartbeat;
    private final ControlSocketHandler socket;
    private final ProtocolHandlers protocols;
    private final ConnectionLog log;
    private final LargeMessageWay largeMessages;
    private @Nullable ConnectListener connecting;
    private int maxHeaderBytes = Integer.MAX_VALUE;

    /**
     * Creates a connection.
     *
     * @param identity of a framework peer, which has or will have the other token of it; null for a raw peer, whose
     *     messages carry no token
     * @param carrier attached by whoever makes the connection
     */
    public ConnectionCore(EngineConnections connections, ConnectionConfig config, String peer,
            @Nullable ConnectionIdentity identity, Carrier carrier) {
        this.connections = connections;
        this.config = config;
        this.peer = peer;
        this.identity = identity;
        this.carrier = carrier;
        this.largeMessages = new LargeMessageWay(carrier);
        this.log = new ConnectionLog(peer, connections.engine().name(), config.wiretap());
        this.control = new ControlFrameSender(log.name(), carrier, this::peerToken, this::operationEnded);
        this.termination = new ConnectionTermination(this, carrier, life, operations);
        this.heartbeat = new Heartbeat(connections.heartbeats(), control::ping, connections.counters()::missedHeartbeat,
                silence -> termination.peerSilent(UcxStatus.ENDPOINT_TIMEOUT.code(), silence));
        this.socket = new ControlSocketHandler(this);
        this.protocols = connections.protocolsOf(this);
    }

    /** Attaches the control socket, which closes with this connection, and whose end means that the peer is gone. */
    public void attachSocket(ControlChannel opened, ConnectListener listener) {
        connecting = listener;
        connections.addConnecting(this);
        socket.attach(opened);
    }

    /** The carrier is attached; an endpoint has {@link #endpointFailed} as its error handler. */
    public void carrierAttached(ConnectListener listener) {
        connecting = listener;
        connections.add(this);
    }

    public Carrier carrier() {
        return carrier;
    }

    /** The peer has said which process it is, on the way of the endpoint that it asked for. */
    public void peerProcess(ProcessIdentity process) {
        termination.peerProcess(process);
    }

    /** UCX wires the endpoint up: nothing may be sent before {@link #wireUpEnded()}. */
    public void wireUpStarted() {
        life.advance(ConnectionEvent.WIRE_UP_STARTED);
    }

    /** The endpoint is wired up, or has failed. */
    public void wireUpEnded() {
        termination.wireUpEnded();
    }

    /** Establishes the connection after its handshake. Returns false if it is not wanted any more. */
    public boolean established(@Nullable PeerInfo info) {
        if (life.phase() != ConnectionPhase.CONNECTING || connecting == null) {
            return false;
        }
        connecting = null;
        carrier.established();
        int ours = carrier.maxHeaderBytes();
        // The peer may announce any number.
        maxHeaderBytes = info == null ? ours : Math.max(0, Math.min(info.limits().maxHeaderBytes(), ours)
                - ApplicationHeader.BYTES);
        if (info != null) {
            heartbeat.start(PeerInfo.heartbeat(connections.ownInfo(config), info));
            protocols.connected(info);
            termination.peerProcess(info.process());
        }
        boolean established = life.advance(ConnectionEvent.HANDSHAKE_DONE);
        if (established) {
            log.established(carrier.transports());
        }
        return established;
    }

    /** Aborts connecting. The listener is not notified, because it asked for this. */
    public void abandonConnecting() {
        connecting = null;
        termination.abandon();
    }

    /** This side has rejected the peer, which may read the reason until the close timeout. */
    public void rejected() {
        connecting = null;
        if (life.advance(ConnectionEvent.REJECT)) {
            termination.startDeadline(config.closeTimeout());
        }
    }

    /** Limits the time until the connection is closed by force; only the first call counts. */
    public void startDeadline(Duration time) {
        termination.startDeadline(time);
    }

    /** Notifies the listener, if there is one, that connecting has failed. */
    void failConnecting(RuntimeException error) {
        ConnectListener waiting = connecting;
        connecting = null;
        if (waiting != null) {
            waiting.failed(error);
        }
    }

    /** UCX has reported that the endpoint failed. */
    public void endpointFailed(UcpEndpoint failed, int rawStatus) {
        termination.peerFailed(rawStatus);
    }

    /** Takes a frame of the control socket, and returns whether it is a frame of this protocol. Thread: any. */
    public boolean socketReceived(byte[] frame) {
        return socket.received(frame);
    }

    /** The control socket has ended. Thread: any. */
    public void socketEnded(IOException cause, Consumer<RuntimeException> whenEngineClosed) {
        new RetryingCommand(engine(), worker -> socket.ended(cause), whenEngineClosed, true).submit();
    }

    /** A control frame has come over the endpoint. */
    void received(ControlFrame frame) {
        log.control("received", frame.type());
        if (socket.isAttached() && life.phase().isConnecting()) {
            return; // A late frame of the connection that used the endpoint before.
        }
        switch (frame.type()) {
            case HELLO, WELCOME, REJECT, CHALLENGE, PROOF, READY -> {
                ConnectListener waiting = connecting;
                if (waiting != null) {
                    waiting.received(frame);
                }
            }
            case PING, RELEASE, RELEASED -> { } // The heartbeat has counted PING; the others belong to the socket.
            case REFUSED -> {
                if (frame.fields().has(ControlFields.Key.MESSAGE_NUMBER)) {
                    protocols.refused(frame.fields().buffer(ControlFields.Key.MESSAGE_NUMBER).getInt());
                }
            }
            case FIN -> termination.finArrived(frame.fields());
            case FIN_ACK -> termination.leave();
        }
    }

    /** The peer has sent a message over the endpoint. */
    void messageReceived() {
        heartbeat.received();
    }

    ConnectionTermination termination() {
        return termination;
    }

    public Heartbeat heartbeat() {
        return heartbeat;
    }

    boolean hasControlSocket() {
        return socket.isAttached();
    }

    /** Sends a frame over the control socket, if there is one. Thread: any. */
    public void sendOverSocket(ControlFrame frame) {
        socket.send(frame);
    }

    /** Sends a control frame over the endpoint, and returns whether UCX has accepted it. */
    public boolean sendControl(ControlFrame frame) {
        boolean sent = carrier.isAttached() && life.phase().carriesControl() && control.send(frame);
        if (sent) {
            log.control("sent", frame.type());
        }
        return sent;
    }

    /** Hands a message to the protocol of its reserved id, and returns whether there is one. */
    public boolean dispatch(UcpActiveMessage message) {
        log.received(message);
        return life.phase().carriesMessages() && protocols.offer(message);
    }

    /** Returns whether a message carries this side's token. One that is not encrypted ends a connection that is. */
    boolean isAuthentic(UcpActiveMessage message, UcpWorker worker) {
        boolean authentic = identity != null && worker.activeMessages().beginsWith(message, identity.ownToken());
        boolean admitted = authentic && carrier.admits(message.id());
        if (authentic && !admitted) {
            broken("a message of the peer was not encrypted");
        }
        return admitted;
    }

    /** Ends the connection, whose peer or whose way is not to be trusted, and tells both sides why. */
    public void broken(String why) {
        termination.broken(why);
    }

    /** Returns the tokens and certificates of the two sides, null for a raw peer. Thread: any. */
    public @Nullable ConnectionIdentity identity() {
        return identity;
    }

    /** Returns the token that each message to the peer begins with. */
    public long peerToken() {
        return Objects.requireNonNull(identity, "a raw peer has no token").peerToken();
    }

    /** Returns the header of a message to the peer: its token, and this. It is valid until the next call. */
    public MemorySegment header(MemorySegment behindToken) {
        return headers.of(peerToken(), behindToken);
    }

    /** Returns the header of an application's message to a framework peer. It is valid until the next call. */
    public MemorySegment applicationHeader(int id, int number, MemorySegment own) {
        return headers.ofApplication(peerToken(), id, number, own);
    }

    /** Tells the peer that an offered message is not fetched, also while closing: else it counts as delivered. */
    public void refuse(int messageNumber) {
        if (carrier.isUsable()) {
            control.send(ControlFrame.of(ControlFrame.Type.REFUSED,
                    ControlFields.NONE.with(ControlFields.Key.MESSAGE_NUMBER, messageNumber)));
        }
    }

    /**
     * Sends a message of a protocol. The header begins with the peer's token, or without a header the payload. Throws
     * before the handshake is done and once the connection closes, with a retryable status while there is no room.
     *
     * @param protocol {@link AmProtocol#RENDEZVOUS} for a large message, which is offered to the peer and fetched
     * @param whenDone called when the memory is free again, unless it is at once
     * @return whether it is free already
     */
    public boolean send(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            AmProtocol protocol, Completion whenDone) {
        requireCarried();
        log.sent(reservedId, header, payload);
        boolean free = !(protocol == AmProtocol.RENDEZVOUS
                && largeMessages.offer(reservedId, header, payload, registration, whenDone))
                && carrier.send(reservedId, header, payload, registration, protocol, whenDone);
        heartbeat.sent(); // Not for one that was refused: the peer would hear nothing while all are.
        return free;
    }

    /** As {@link #send}, for a small message that the peer gets at once. Returns whether it does. */
    public boolean sendNow(int reservedId, byte[] bytes, int size) {
        requireCarried();
        boolean sent = carrier.sendNow(reservedId, bytes, size);
        if (sent) {
            log.sent(reservedId, bytes, size);
            heartbeat.sent();
        }
        return sent;
    }

    /**
     * Offers a message of a protocol to the peer in memory that both have mapped, and returns whether it goes that way.
     * Throws as {@link #send} does. Unlike UCX's rendezvous it ends with the connection, also if the peer lives on.
     */
    public boolean sendMapped(int reservedId, MemorySegment header, MemorySegment payload, UcpMemory registration,
            Completion whenDone) {
        requireCarried();
        log.sent(reservedId, header, payload);
        return largeMessages.offer(reservedId, header, payload, registration, whenDone);
    }

    private void requireCarried() {
        if (!life.phase().carriesMessages()) {
            throw termination.cause().closed("am_send");
        }
    }

    /** Returns the way for large messages other than UCX's. */
    public LargeMessageWay largeMessages() {
        return largeMessages;
    }

    @Override
    public UcpEndpoint endpointFor(OperationKind kind) {
        UcpEndpoint open = carrier.endpoint();
        // A draining connection still fetches data that was offered before.
        boolean usable = life.phase().allowsOperations() || kind == OperationKind.AM_FETCH && life.phase().isDraining();
        if (open == null || !usable) {
            throw termination.cause().closed(kind.ucxName());
        }
        switch (kind) {
            case TAG_SEND, TAG_SEND_SYNC, TAG_RECEIVE, STREAM_SEND, STREAM_RECEIVE -> carrier.requireRaw(kind);
            default -> { } // The kinds of one-sided operations, which go past the carrier, are of served memory, too.
        }
        return open;
    }

    @Override
    public void link(InFlightOperation operation) {
        operations.add(operation);
    }

    @Override
    public void unlink(InFlightOperation operation) {
        operations.remove(operation);
    }

    @Override
    public void operationEnded() {
        if (life.phase().isEnding()) {
            termination.proceed();
        }
    }

    @Override
    public RuntimeException explained(RuntimeException error, OperationKind kind) {
        return termination.cause().explained(error, kind, carrier.endpoint());
    }

    @Override
    public void execute(Consumer<UcpWorker> action) {
        execute(action, closed -> LOG.debug("[{}] the engine is closed", peer));
    }

    /** Runs an action on the engine's thread, or the other action once the engine is closed. Thread: any. */
    public void execute(Consumer<UcpWorker> action, Consumer<RuntimeException> whenEngineClosed) {
        new RetryingCommand(engine(), action, whenEngineClosed).submit();
    }

    @Override
    public void executeUrgent(Consumer<UcpWorker> action) {
        new RetryingCommand(engine(), action, closed -> LOG.debug("[{}] the engine is closed", peer), true).submit();
    }

    /** Visits the operations under way; receives wait for the peer, and are none. */
    void underWay(OperationVisitor visitor) {
        operations.forEach(operation -> {
            if (!operation.mayHaveArrived()) {
                visitor.visit(operation, operation.kind().ucxName());
            }
        });
        protocols.underWay(visitor);
    }

    /** Starts to close; a close by force overrides a graceful one. */
    public void beginClose(CloseMode mode) {
        termination.close(mode);
    }

    /** Closes the connection; a graceful close comes after what was submitted before. Thread: any. */
    public void close(CloseMode mode) {
        new RetryingCommand(engine(), worker -> beginClose(mode), closed -> { }, mode == CloseMode.FORCE).submit();
    }

    /** Returns the signal of the connection's end. Thread: any. */
    public EndSignal end() {
        return termination.end();
    }

    /** Returns the loss, the refusal of an operation while the connection is open, null after a close. Thread: any. */
    public @Nullable UcxException afterEnd(UcxClosedException refusal) {
        return termination.afterEnd(refusal);
    }

    /** The engine has closed. */
    void engineClosed() {
        termination.engineClosed();
    }

    public ProtocolHandlers protocols() {
        return protocols;
    }

    /** Returns this connection's handler of a protocol, or null when it has none, as with a raw peer. Thread: any. */
    public <T extends ProtocolHandler> @Nullable T protocol(Class<T> type) {
        return protocols.find(type);
    }

    /** Returns the phase of the connection. Thread: any. */
    public ConnectionPhase phase() {
        return life.phase();
    }

    @Override
    public ProgressEngine progressEngine() {
        return connections.progressEngine();
    }

    /** Returns what runs commands on the thread of the connection. Thread: any. */
    public CommandExecutor engine() {
        return connections.engine();
    }

    /** Returns the connections of the same engine. Thread: any. */
    public EngineConnections registry() {
        return connections;
    }

    public ConnectionConfig config() {
        return config;
    }

    @Override
    public String peer() {
        return peer;
    }

    /** Returns an id that no other connection of the process has. Thread: any. */
    public String id() {
        return log.id();
    }

    /** Returns the id and the peer, with which lines of the log begin. Thread: any. */
    public String name() {
        return log.name();
    }

    /** Returns the transports of the established connection, as {@code transport/device}. Thread: any. */
    public List<String> transports() {
        return log.transports();
    }

    ConnectionLog log() {
        return log;
    }

    /** Shows a message of the application, which a protocol sends by itself, to the wiretap. */
    public void applicationSends(MemorySegment framedHeader, MemorySegment payload) {
        log.sent(ReservedMessageIds.APPLICATION, framedHeader, payload);
    }

    public int maxHeaderBytes() {
        return maxHeaderBytes;
    }
}
