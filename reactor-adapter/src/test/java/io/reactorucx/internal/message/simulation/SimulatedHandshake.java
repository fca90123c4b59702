package io.reactorucx.internal.message.simulation;

import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.ClientHandshake;
import io.reactorucx.transport.handshake.ConnectListener;
import io.reactorucx.transport.handshake.HandshakeCallbacks;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.ServerHandshake;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The way of two sides to a connection. Without a control socket the handshake goes over the carrier; with one, over
 * the socket, and then each side attaches its carrier and tells the other one by it.
 */
final class SimulatedHandshake {

    private static final long HANDSHAKE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Simulation simulation;
    private final boolean overSocket;
    private final Client client;
    private final Server server;

    SimulatedHandshake(Simulation simulation, SimulatedSide one, SimulatedSide two, boolean overSocket,
            Consumer<SimulatedSide> whenEstablished) {
        this.simulation = simulation;
        this.overSocket = overSocket;
        this.client = new Client(one, whenEstablished);
        this.server = new Server(two, whenEstablished);
        client.other = server;
        server.other = client;
    }

    void start() {
        server.side.engine().run(server::start);
        client.side.engine().run(client::start);
    }

    /** One side, until its connection is established. */
    private abstract class Party implements HandshakeCallbacks, ConnectListener {

        final SimulatedSide side;
        private final Consumer<SimulatedSide> whenEstablished;
        Party other;
        private PeerInfo peer;
        private long lastArrival;

        Party(SimulatedSide side, Consumer<SimulatedSide> whenEstablished) {
            this.side = side;
            this.whenEstablished = whenEstablished;
        }

        final ConnectionCore connection() {
            return side.connection();
        }

        abstract void take(ControlFrame frame);

        abstract void stop();

        final void giveUpInTime() {
            side.engine().schedule(HANDSHAKE_NANOS, () -> {
                if (connection().phase().isConnecting()) {
                    stop();
                    connection().abandonConnecting();
                }
            });
        }

        final void attach() {
            side.carrier().attach(connection()::sendOverSocket);
            connection().carrierAttached(this);
        }

        final void establish() {
            side.carrier().paired();
            if (connection().established(peer)) {
                simulation.note(side + " is established");
                whenEstablished.accept(side);
            }
        }

        /** Sends something in order, in front of the connection: over the socket, or over the complete way. */
        final void tell(Runnable arrival) {
            lastArrival = Math.max(lastArrival, simulation.now() + simulation.delay());
            simulation.at(lastArrival, () -> other.side.engine().run(arrival));
        }

        @Override
        public void send(ControlFrame frame) {
            if (overSocket) {
                tell(() -> other.received(frame));
            } else if (!connection().sendControl(frame)) {
                stop();
                connection().abandonConnecting();
            }
        }

        @Override
        public void received(ControlFrame frame) {
            if (connection().phase().isConnecting()) {
                take(frame);
            }
        }

        @Override
        public void connected(PeerInfo info) {
            peer = info;
            if (overSocket) {
                connection().attachSocket(side.socket(), this);
            } else {
                establish();
            }
        }

        @Override
        public void failed(HandshakeFailure failure) {
            simulation.fail("the handshake of " + side + " fails: " + failure.detail());
        }

        @Override
        public void failed(RuntimeException error) {
            simulation.note(side + " is not connected: " + error);
            stop();
        }

        @Override
        public void execute(Runnable task) {
            side.engine().run(task);
        }

        final PeerInfo own() {
            return side.info();
        }
    }

    private final class Client extends Party {

        private final ClientHandshake handshake;

        Client(SimulatedSide side, Consumer<SimulatedSide> whenEstablished) {
            super(side, whenEstablished);
            this.handshake = new ClientHandshake(own(), side.identity(), ControlFields.NONE, null, (step, first) -> {
                throw new IllegalStateException("there is no authenticator");
            }, "server", this);
        }

        void start() {
            giveUpInTime();
            if (overSocket) {
                handshake.start();
            } else {
                wireUp(handshake::start);
            }
        }

        private void wireUp(Runnable then) {
            attach();
            connection().wireUpStarted();
            simulation.soon(() -> side.engine().run(() -> {
                connection().wireUpEnded();
                if (connection().phase().isConnecting()) {
                    then.run();
                }
            }));
        }

        @Override
        public void connected(PeerInfo info) {
            super.connected(info);
            if (overSocket) {
                wireUp(() -> tell(server::bind));
            }
        }

        private void bound() {
            if (connection().phase().isConnecting()) {
                establish();
            }
        }

        @Override
        void take(ControlFrame frame) {
            handshake.received(frame);
        }

        @Override
        void stop() {
            handshake.close();
        }
    }

    private final class Server extends Party {

        private final ServerHandshake handshake;

        Server(SimulatedSide side, Consumer<SimulatedSide> whenEstablished) {
            super(side, whenEstablished);
            this.handshake = new ServerHandshake(own(), side.identity(), null, (step, first) -> {
                throw new IllegalStateException("there is no authenticator");
            }, "client", this);
        }

        void start() {
            if (!overSocket) {
                attach();
            }
            giveUpInTime();
        }

        private void bind() {
            if (connection().phase().isConnecting()) {
                attach();
                side.carrier().deliver(client::bound);
                establish();
            }
        }

        @Override
        void take(ControlFrame frame) {
            handshake.received(frame);
        }

        @Override
        void stop() {
            handshake.close();
        }
    }
}
