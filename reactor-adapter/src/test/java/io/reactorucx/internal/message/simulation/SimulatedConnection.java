package io.reactorucx.internal.message.simulation;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.connection.ConnectionEvent;
import io.reactorucx.transport.connection.ConnectionPhase;
import io.reactorucx.transport.connection.SimulatedLifecycle;
import java.util.concurrent.TimeUnit;

/** How one side of a simulated connection ends: the steps of {@code ConnectionTermination}, without an endpoint. */
final class SimulatedConnection {

    private static final long CLOSE_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

    private final Simulation simulation;
    private final SimulatedCarrier carrier;
    private final CarrierSettings settings;
    private final SimulatedLifecycle life = new SimulatedLifecycle();
    private UcxException loss;
    private boolean deadline;

    SimulatedConnection(Simulation simulation, SimulatedCarrier carrier, CarrierSettings settings) {
        this.simulation = simulation;
        this.carrier = carrier;
        this.settings = settings;
    }

    boolean carriesMessages() {
        return life.carriesMessages();
    }

    boolean isOpen() {
        return life.phase() == ConnectionPhase.CONNECTED;
    }

    boolean hasEnded() {
        return life.phase() == ConnectionPhase.CLOSED;
    }

    ConnectionPhase phase() {
        return life.phase();
    }

    /** Closes the connection. Thread: engine. */
    void close(CloseMode mode) {
        if (mode == CloseMode.FLUSH && life.isDraining()) {
            proceed();
        } else if (life.advance(mode == CloseMode.FORCE ? ConnectionEvent.FORCE_CLOSE : ConnectionEvent.CLOSE)) {
            simulation.note(carrier.name() + " closes, " + life.phase());
            switch (life.phase()) {
                case DRAINING, FIN_RECEIVED, FIN_ACKNOWLEDGED -> {
                    carrier.protocol().closing();
                    startDeadline();
                    proceed();
                }
                default -> terminate();
            }
        }
    }

    private void startDeadline() {
        if (!deadline) {
            deadline = true;
            simulation.after(CLOSE_TIMEOUT, () -> carrier.engine().run(() -> {
                if (!hasEnded() && life.advance(ConnectionEvent.TIMEOUT)) {
                    simulation.note(carrier.name() + " has not closed in time");
                    if (life.phase() == ConnectionPhase.ABORTING) {
                        terminate();
                    } else {
                        gone();
                    }
                }
            }));
        }
    }

    void operationEnded() {
        if (life.isEnding()) {
            proceed();
        }
    }

    private void proceed() {
        if (life.phase() == ConnectionPhase.FIN_RECEIVED && carrier.protocol().isConsumed()) {
            acknowledge();
        }
        boolean quiet = carrier.protocol().isQuiet() && carrier.isIdle();
        if (life.phase() == ConnectionPhase.DRAINING
                && (quiet || settings.fault() == CarrierFault.FIN_OVERTAKES)) {
            life.advance(ConnectionEvent.FIN);
            simulation.note(carrier.name() + " sends FIN");
            Runnable arrival = () -> carrier.other().connection().finArrived();
            if (quiet) {
                carrier.behindOffers(arrival);
            } else {
                simulation.soon(() -> carrier.other().engine().run(arrival));
            }
        } else if (quiet && life.phase() == ConnectionPhase.FIN_ACKNOWLEDGED) {
            leave();
        }
        gone();
    }

    private void finArrived() {
        if (!life.advance(ConnectionEvent.FIN_ARRIVED)) {
            return;
        }
        simulation.note(carrier.name() + " gets FIN");
        carrier.protocol().peerFinished();
        if (life.phase() == ConnectionPhase.PEER_FINISHED ? carrier.protocol().isConsumed()
                : life.phase() == ConnectionPhase.FIN_RECEIVED) {
            acknowledge();
        }
        carrier.protocol().endReceivers(loss);
        close(CloseMode.FLUSH);
    }

    private void acknowledge() {
        simulation.note(carrier.name() + " sends FIN_ACK");
        carrier.inOrder(() -> carrier.other().connection().leave());
        life.advance(ConnectionEvent.FIN_ACK);
    }

    private void leave() {
        if (life.advance(ConnectionEvent.FAREWELL_DONE)) {
            simulation.soon(() -> carrier.engine().run(() -> {
                if (life.advance(ConnectionEvent.LAST_FLUSH_DONE)) {
                    terminate();
                }
            }));
        }
    }

    /** The peer is gone. */
    void peerFailed() {
        boolean farewell = life.isFarewell();
        boolean open = life.phase() == ConnectionPhase.CONNECTED;
        if (life.advance(ConnectionEvent.PEER_FAILED)) {
            if (!farewell) {
                simulation.note(carrier.name() + " loses its peer");
                if (open) {
                    loss = new UcxException(UcxStatus.CONNECTION_RESET, "connection", carrier.peer(), "simulated");
                }
                carrier.protocol().endReceivers(loss);
                startDeadline();
            }
            terminate();
        }
    }

    private void terminate() {
        carrier.protocol().ended(loss);
        carrier.protocol().endReceivers(loss);
        carrier.protocol().abandonOffers();
        life.advance(ConnectionEvent.CLOSE_STARTED);
        simulation.note(carrier.name() + " has terminated");
        carrier.abort();
        simulation.soon(() -> carrier.engine().run(() -> {
            life.advance(ConnectionEvent.ENDPOINT_GONE);
            gone();
        }));
        simulation.soon(() -> carrier.other().engine().run(carrier.other().connection()::peerFailed));
    }

    private void gone() {
        ConnectionPhase phase = life.phase();
        if (phase == ConnectionPhase.ENDPOINT_GONE && carrier.isIdle() || phase == ConnectionPhase.OVERDUE) {
            life.advance(ConnectionEvent.OPERATIONS_DONE);
        }
    }
}
