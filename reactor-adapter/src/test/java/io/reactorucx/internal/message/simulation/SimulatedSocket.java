package io.reactorucx.internal.message.simulation;

import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.socket.ControlChannel;
import java.io.IOException;
import java.util.Objects;

/** One side's end of a control socket, which keeps the order of its frames, and whose end comes behind them. */
final class SimulatedSocket implements ControlChannel {

    private final Simulation simulation;
    private ConnectionCore owner;
    private SimulatedSocket other;
    private long lastArrival;
    private boolean closed;

    SimulatedSocket(Simulation simulation) {
        this.simulation = simulation;
    }

    void connect(ConnectionCore connection, SimulatedSocket peer) {
        owner = connection;
        other = peer;
    }

    @Override
    public void send(byte[] frame) {
        if (!closed) {
            inOrder(() -> {
                if (!other.closed) {
                    simulation.check(other.owner.socketReceived(frame), "a frame of the socket is unknown");
                }
            });
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            inOrder(other::ended);
        }
    }

    private void inOrder(Runnable arrival) {
        lastArrival = Math.max(lastArrival, simulation.now() + simulation.delay());
        simulation.at(lastArrival, arrival);
    }

    private void ended() {
        if (!closed) {
            closed = true;
            Objects.requireNonNull(owner).socketEnded(new IOException("simulated"), error -> { });
        }
    }
}
