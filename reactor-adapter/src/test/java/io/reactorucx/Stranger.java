package io.reactorucx;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.handshake.ClientHandshake;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import java.nio.ByteOrder;
import java.util.Objects;

/** A client that does the handshake, as any program can, and then sends the address of a worker that it likes. */
final class Stranger implements AutoCloseable {

    private final SocketPeer socket;
    private final ConnectionIdentity identity;
    private final byte[] serverAddress;

    private Stranger(SocketPeer socket, byte[] address) {
        this.socket = socket;
        identity = new ConnectionIdentity(address);
        HandshakePair.Said said = new HandshakePair.Said();
        ClientHandshake handshake = new ClientHandshake(
                HandshakePair.facts(ErrorMode.PEER, ByteOrder.nativeOrder(), 0, 11), identity, ControlFields.NONE, null,
                HandshakePair.IMMEDIATE, "the server", said);
        handshake.start();
        socket.send(said.frames.remove().toBytes());
        handshake.received(socket.nextControl());
        if (said.peer == null) {
            throw new IllegalStateException("the server has not taken the handshake: " + said.failure);
        }
        serverAddress = Objects.requireNonNull(BindFrame.parse(socket.next())).address();
    }

    /** Does the handshake for the address of a worker. */
    static Stranger connect(int port, String from, byte[] address) {
        return new Stranger(SocketPeer.connect(port, from), address);
    }

    byte[] serverAddress() {
        return serverAddress;
    }

    /** Sends the address, and the number of an endpoint. */
    void send(byte[] address, int number) {
        socket.send(new BindFrame(BindFrame.Type.ADDRESS, identity.peerToken(), number, address).toBytes());
    }

    SocketPeer socket() {
        return socket;
    }

    @Override
    public void close() {
        socket.close();
    }
}
