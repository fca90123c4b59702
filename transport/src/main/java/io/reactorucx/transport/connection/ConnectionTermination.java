package io.reactorucx.transport.connection;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.command.DelayedAction;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.endpoint.InFlightOperations;
import io.reactorucx.transport.endpoint.PeerProcess;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a connection: gracefully (no new operations, those in flight complete, FIN and FIN_ACK, release of the carrier
 * or a flushing close), after a loss, or when the deadline for either has passed. UCX allows one close of an endpoint,
 * so the mode is chosen as late as possible. {@link ConnectionLifecycle} defines the order of the steps.
 *
 * <p>Thread: engine.
 */
final class ConnectionTermination {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionTermination.class);

    /** How long a connection waits for the close of its endpoint by force, before it ends and leaves it parked. */
    private static final Duration PARKING_DELAY = Duration.ofMillis(200);

    private final ConnectionCore connection;
    private final Carrier carrier;
    private final ConnectionLifecycle life;
    private final InFlightOperations operations;
    private final TerminationCause cause;
    private final EndSignal end = new EndSignal();
    private @Nullable DelayedAction deadline;
    private @Nullable DelayedAction parking;
    private PeerProcess peerProcess = PeerProcess.UNKNOWN;
    private final Runnable whenProcessEnded = this::peerProcessEnded;

    ConnectionTermination(ConnectionCore connection, Carrier carrier, ConnectionLifecycle life,
            InFlightOperations operations) {
        this.connection = connection;
        this.carrier = carrier;
        this.life = life;
        this.operations = operations;
        this.cause = new TerminationCause(connection.peer());
    }

    TerminationCause cause() {
        return cause;
    }

    /** Returns the signal of the connection's end. Thread: any. */
    EndSignal end() {
        return end;
    }

    /** Says which process the peer is. With a control socket the end of that tells the end of the process. */
    void peerProcess(ProcessIdentity process) {
        if (!process.equals(peerProcess.identity())) {
            connection.registry().processes().remove(peerProcess, whenProcessEnded);
            peerProcess = PeerProcess.seen(process);
        }
        if (!connection.hasControlSocket()) {
            connection.registry().processes().add(peerProcess, whenProcessEnded);
        }
    }

    void forgetPeerProcess() {
        connection.registry().processes().remove(peerProcess, whenProcessEnded);
    }

    /** Limits the time until the connection is closed by force; only the first call counts. */
    void startDeadline(Duration time) {
        if (deadline == null) {
            deadline = DelayedAction.after(connection.engine(), time, this::outOfTime);
        }
    }

    /** Aborts connecting. The listener is not notified, because it asked for this. */
    void abandon() {
        if (life.advance(ConnectionEvent.ABANDON)) {
            if (life.phase() == ConnectionPhase.ABANDONED) {
                startDeadline(connection.config().handshakeTimeout());
            } else {
                terminate(CloseMode.FORCE, cause.closed("connect"));
            }
        }
    }

    /** Wire-up has ended. If connecting was aborted meanwhile, the endpoint is closed now. */
    void wireUpEnded() {
        if (life.advance(ConnectionEvent.WIRE_UP_ENDED)) {
            if (life.phase() == ConnectionPhase.TERMINATING) {
                terminate(CloseMode.FORCE, cause.closed("connect"));
            }
        } else {
            proceed();
        }
    }

    /** The endpoint has failed, or the control socket has ended: the peer cannot agree to a release any more. */
    void peerFailed(int rawStatus) {
        carrier.forbidRelease();
        peerGone(ConnectionEvent.PEER_FAILED, rawStatus, null);
    }

    /** The process of the peer has ended, which UCX does not tell. */
    private void peerProcessEnded() {
        carrier.forbidRelease();
        peerGone(ConnectionEvent.PEER_FAILED, UcxStatus.CONNECTION_RESET.code(),
                "the peer's process " + peerProcess.identity().id() + " has ended");
    }

    /** The peer no longer uses its endpoint. */
    void peerLeft(int rawStatus) {
        peerGone(ConnectionEvent.PEER_LEFT, rawStatus, null);
    }

    private void peerGone(ConnectionEvent event, int rawStatus, @Nullable String why) {
        ConnectionPhase before = life.phase();
        if (connection.config().raw() && life.advance(ConnectionEvent.RAW_PEER_LEFT)) {
            cause.lost(cause.error(rawStatus, null, "connection"), null);
            operations.endAllButReceives(operation -> cause.reason(operation.kind()));
            carrier.whenDrained(() -> {
                ConnectionPhase now = life.phase();
                if (life.advance(ConnectionEvent.PEER_LEFT)) {
                    lose(now, PeerCounters.Loss.TRANSPORT, rawStatus, null);
                }
            });
        } else if (life.advance(event)) {
            if (before.isFarewell() || before == ConnectionPhase.RELEASING) {
                LOG.debug("[{}] the peer has left", connection.name());
                terminate(CloseMode.FORCE, cause.closed("operation"));
            } else {
                lose(before, PeerCounters.Loss.TRANSPORT, rawStatus, why);
            }
        }
    }

    /** What comes is not the peer's, or not as it was sent: the connection ends, and the peer is told why. */
    void broken(String why) {
        connection.sendOverSocket(ControlFrame.reject(UcxStatus.IO_ERROR, why));
        brokenBy(why);
    }

    /** The connection ends for a reason that this side or the peer has found. */
    void brokenBy(String why) {
        carrier.forbidRelease();
        peerGone(ConnectionEvent.PEER_FAILED, UcxStatus.IO_ERROR.code(), why);
    }

    /** The peer has sent nothing for longer than heartbeats allow. */
    void peerSilent(int rawStatus, String why) {
        carrier.forbidRelease();
        ConnectionPhase before = life.phase();
        if (life.advance(ConnectionEvent.PEER_FAILED)) {
            lose(before, PeerCounters.Loss.HEARTBEAT, rawStatus, why);
        }
    }

    /** Fails everything in flight with the loss. */
    private void lose(ConnectionPhase before, PeerCounters.Loss kind, int rawStatus, @Nullable String why) {
        UcxException error = cause.error(rawStatus, why, "connection");
        LOG.debug("[{}] lost", connection.name(), error);
        connection.registry().counters().lost(kind);
        connection.log().lost(kind, String.valueOf(error.getMessage()));
        carrier.lost(peerProcess);
        if (before.isConnecting() || before.allowsOperations()) {
            // Before the subscribers below: one of them may close the connection, which is then no graceful close.
            cause.lost(error, why);
        }
        operations.forEach(operation -> signal(() ->
                operation.abandon(cause.error(rawStatus, why, operation.kind().ucxName()))));
        signal(() -> connection.protocols().endReceivers(cause.loss()));
        startDeadline(connection.config().closeTimeout());
        terminate(CloseMode.FORCE, cause.error(rawStatus, why, "connect"));
    }

    /** The peer has sent FIN, behind all its messages: if one of them has not come, the connection is lost. */
    void finArrived(ControlFields fields) {
        int received = connection.protocols().messagesReceived();
        int sent = fields.has(ControlFields.Key.MESSAGE_NUMBER)
                ? fields.buffer(ControlFields.Key.MESSAGE_NUMBER).getInt() : received;
        if (sent == received) {
            finArrived();
            return;
        }
        carrier.forbidRelease();
        ConnectionPhase before = life.phase();
        if (life.advance(ConnectionEvent.PEER_FAILED)) {
            lose(before, PeerCounters.Loss.TRANSPORT, UcxStatus.CONNECTION_RESET.code(), "of "
                    + Integer.toUnsignedString(sent) + " active messages of the peer " + received + " have come");
        }
    }

    private void finArrived() {
        boolean connecting = life.phase().isConnecting();
        if (!life.advance(ConnectionEvent.FIN_ARRIVED)) {
            if (life.phase() == ConnectionPhase.STUCK) {
                connection.sendControl(ControlFrame.of(ControlFrame.Type.FIN_ACK));
            }
            return;
        }
        // Before the subscribers below: one of them may close the connection, and the peer waits for FIN_ACK.
        connection.protocols().peerFinished();
        boolean acknowledges = switch (life.phase()) {
            case PEER_FINISHED -> connection.protocols().isConsumed();
            case FIN_RECEIVED -> true;
            default -> connecting;
        };
        if (acknowledges) {
            acknowledge();
        }
        UcxClosedException error = new UcxClosedException("operation", connection.peer(),
                "the peer has closed the connection");
        connection.failConnecting(error);
        connection.protocols().endReceivers(cause.loss());
        operations.endReceives(error, connection.registry()::worker);
        if (connecting) {
            terminate(CloseMode.FORCE, error);
        } else {
            close(CloseMode.FLUSH);
        }
    }

    /** Sends FIN_ACK, so that the peer can close: the application has received or given up all that the peer sent. */
    private void acknowledge() {
        if (connection.sendControl(ControlFrame.of(ControlFrame.Type.FIN_ACK))) {
            life.advance(ConnectionEvent.FIN_ACK);
        }
    }

    /** Closes the connection; a failed endpoint is closed by force in any mode. */
    void close(CloseMode mode) {
        boolean force = mode == CloseMode.FORCE || carrier.hasFailed();
        if (mode == CloseMode.FLUSH && life.phase().isDraining()) {
            connection.protocols().abandonOffers();
            proceed();
        } else if (life.advance(force ? ConnectionEvent.FORCE_CLOSE : ConnectionEvent.CLOSE)) {
            switch (life.phase()) {
                case DRAINING, FIN_RECEIVED, FIN_ACKNOWLEDGED -> drain();
                case ABANDONED -> {
                    startDeadline(connection.config().closeTimeout());
                    connection.failConnecting(cause.closed("connect"));
                }
                default -> terminate(CloseMode.FORCE, cause.closed("operation"));
            }
        }
    }

    private void drain() {
        connection.protocols().closing();
        connection.protocols().endReceivers(cause.loss());
        operations.endReceives(cause.closed("receive"), connection.registry()::worker);
        startDeadline(connection.config().closeTimeout());
        proceed();
    }

    /** Takes the next step of the close if the current phase has nothing more to wait for. */
    void proceed() {
        if (life.phase() == ConnectionPhase.FIN_RECEIVED && connection.protocols().isConsumed()) {
            acknowledge();
        }
        if (carrier.isAttached() && isIdle()) {
            switch (life.phase()) {
                case DRAINING -> finish();
                // With a control socket, its end tells that the peer has closed. Without one nothing does.
                case FIN_ACKNOWLEDGED -> {
                    if (!connection.hasControlSocket()) {
                        leave();
                    }
                }
                case STUCK -> {
                    life.advance(ConnectionEvent.DRAINED);
                    terminate(CloseMode.FLUSH, cause.closed("operation"));
                }
                default -> { }
            }
        }
        closeWhenIdle();
    }

    private boolean isIdle() {
        return connection.protocols().isQuiet() && operations.isQuiet() && carrier.inFlight() == 0;
    }

    /** Sends FIN. With a raw peer, or when UCX rejects the frame, the connection closes without it. */
    private void finish() {
        boolean sent = !connection.config().raw() && life.advance(ConnectionEvent.FIN) && sendFin();
        if (!sent && life.advance(ConnectionEvent.DRAINED)) {
            terminate(CloseMode.FLUSH, cause.closed("operation"));
        }
    }

    private boolean sendFin() {
        return connection.sendControl(ControlFrame.of(ControlFrame.Type.FIN, ControlFields.NONE.with(
                ControlFields.Key.MESSAGE_NUMBER, connection.protocols().messagesSent())));
    }

    /**
     * Leaves the connection: the peer has received all that was sent, and sends nothing more. The endpoint is closed by
     * force, because UCX keeps endpoints that are closed otherwise; so it is flushed before, unless the control socket
     * tells the peer that this side has closed.
     */
    void leave() {
        if (!carrier.isAttached() || carrier.hasFailed() || !life.advance(ConnectionEvent.FAREWELL_DONE)) {
            return;
        }
        if (connection.hasControlSocket() || carrier.flush((status, length, tag) -> left())) {
            left();
        }
    }

    private void left() {
        if (life.advance(ConnectionEvent.LAST_FLUSH_DONE)) {
            terminate(CloseMode.FORCE, cause.closed("operation"));
        }
    }

    private void outOfTime() {
        if (life.advance(ConnectionEvent.TIMEOUT)) {
            LOG.debug("[{}] not closed gracefully within {}", connection.name(), connection.config().closeTimeout());
            carrier.forbidRelease();
            if (life.phase() == ConnectionPhase.ABORTING) {
                terminate(CloseMode.FORCE, cause.closed("operation"));
            } else {
                closeWhenIdle();
            }
        }
    }

    /** Terminates operations and subscribers, and releases or closes the endpoint. */
    private void terminate(CloseMode wanted, RuntimeException connectError) {
        connection.heartbeat().stop();
        if (!life.wasEstablished()) {
            carrier.abandoned();
        }
        signal(() -> connection.failConnecting(connectError));
        signal(() -> operations.endReceives(cause.reason(OperationKind.TAG_RECEIVE), connection.registry()::worker));
        operations.forEach(operation -> signal(() -> operation.endpointCloses(cause.reason(operation.kind()))));
        signal(() -> connection.protocols().ended(cause.loss()));
        signal(() -> connection.protocols().endReceivers(cause.loss()));
        connection.protocols().abandonOffers();
        if (life.phase() == ConnectionPhase.CLOSED) {
            return;
        }
        if (!carrier.isAttached()) {
            life.advance(ConnectionEvent.ENDPOINT_GONE);
        } else if (life.phase() == ConnectionPhase.TERMINATING && !operations.waitsForPeer()
                && carrier.beginRelease()) {
            life.advance(ConnectionEvent.RELEASE_STARTED);
            startDeadline(connection.config().closeTimeout());
        } else {
            closeCarrier(wanted);
        }
        closeWhenIdle();
    }

    /** Runs a step that signals subscribers: one that throws does not keep the connection from ending. */
    private void signal(Runnable step) {
        try {
            step.run();
        } catch (Throwable t) {
            LOG.error("[{}] a subscriber threw when the end of the connection was signalled", connection.name(), t);
        }
    }

    private void closeCarrier(CloseMode wanted) {
        if (!carrier.canClose()) {
            boolean first = life.advance(ConnectionEvent.CLOSE_POSTPONED);
            if (first && life.wasEstablished() && !connection.config().raw()) {
                // The peer may hold offers that keep this side's operations in flight: it gives them up for a FIN.
                sendFin();
            }
            LOG.warn("[{}] stays open until {} operations complete: error mode NONE allows no close before",
                    connection.name(), carrier.inFlight());
            return;
        }
        life.advance(ConnectionEvent.CLOSE_STARTED);
        carrier.close(wanted, () -> {
            life.advance(ConnectionEvent.ENDPOINT_GONE);
            closeWhenIdle();
        });
        if (carrier.isClosedByForce() && life.phase() == ConnectionPhase.CLOSING_ENDPOINT) {
            parking = DelayedAction.after(connection.engine(), PARKING_DELAY, this::leaveParked);
        }
    }

    /** The endpoint waits to be closed, for a peer that does not take part: it stays with the engine. */
    private void leaveParked() {
        if (life.phase() == ConnectionPhase.CLOSING_ENDPOINT && life.advance(ConnectionEvent.TIMEOUT)) {
            LOG.debug("[{}] the endpoint is parked", connection.name());
            closeWhenIdle();
        }
    }

    /**
     * Ends the connection once UCX no longer uses memory of its operations. After the deadline it does not wait for
     * receives of the byte stream, which only the endpoint's close ends: their leases belong to this library and stay
     * until UCX returns them. Nor does it wait for operations that UCX keeps after a close by force: those of a
     * parked endpoint, and up to 1.22 those that wait for room in the queue of a dead peer in shared memory.
     */
    void closeWhenIdle() {
        if (life.phase() == ConnectionPhase.RELEASING && carrier.advanceRelease()) {
            life.advance(ConnectionEvent.ENDPOINT_GONE);
        }
        boolean idle = switch (life.phase()) {
            case ENDPOINT_GONE -> operations.isEmpty();
            case OVERDUE -> operations.isQuiet() || carrier.isClosedByForce();
            default -> false;
        };
        if (idle && life.advance(ConnectionEvent.OPERATIONS_DONE)) {
            finished();
        }
    }

    private void finished() {
        if (deadline != null) {
            deadline.cancel();
        }
        if (parking != null) {
            parking.cancel();
        }
        connection.heartbeat().stop();
        if (life.wasEstablished()) {
            UcxException loss = cause.loss();
            connection.log().closed(loss != null && !(loss instanceof UcxClosedException));
        }
        operations.forEach(operation -> signal(() -> operation.abandon(cause.reason(operation.kind()))));
        connection.registry().remove(connection);
        carrier.connectionEnded(peerProcess);
        end.signal();
    }

    /** The engine has closed, which ends everything in flight. */
    void engineClosed() {
        carrier.engineClosed();
        boolean open = life.advance(ConnectionEvent.ENGINE_CLOSED);
        Throwable failure = connection.engine().failure();
        if (open && failure != null) {
            String why = "the engine has failed: " + failure;
            UcxException error = new UcxException(UcxStatus.CONNECTION_RESET, "connection", connection.peer(), why,
                    failure);
            cause.lost(error, why);
            signal(() -> connection.failConnecting(error));
        } else if (open) {
            cause.lost(cause.closed("receive"), null);
            signal(() -> connection.failConnecting(cause.closed("connect")));
        }
        signal(() -> connection.protocols().ended(cause.loss()));
        signal(() -> connection.protocols().abandon(cause.reason(OperationKind.STREAM_RECEIVE)));
        if (open) {
            finished();
        }
    }

    /** Returns how a Flux ends whose next operation was refused, null for completion. */
    @Nullable UcxException afterEnd(UcxClosedException refusal) {
        UcxException loss = cause.loss();
        return loss == null && life.phase().isConnected() ? refusal : loss;
    }
}
