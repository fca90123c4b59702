package io.reactorucx.netty.internal;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.transport.config.PeerLimits;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.ClientHandshake;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.HandshakeCallbacks;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.PeerInfo;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteOrder;
import java.util.Objects;

/** A client at the port for links of a loop, which does the handshake and sends the address of a worker. */
public final class StrangeLink implements AutoCloseable {

    private static final int LIMIT_MILLIS = 20_000;

    private final Socket socket;
    private final DataOutputStream out;
    private final ConnectionIdentity identity;
    private final byte[] loopAddress;

    private StrangeLink(Socket socket, byte[] address) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(LIMIT_MILLIS);
        out = new DataOutputStream(socket.getOutputStream());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        identity = new ConnectionIdentity(address);
        PeerInfo facts = new PeerInfo(Ucx.version(), ErrorMode.PEER, ByteOrder.nativeOrder(), PeerLimits.DEFAULT, 0, 11,
                ProcessIdentity.self(), false);
        ClientHandshake handshake = new ClientHandshake(facts, identity, ControlFields.NONE, null,
                (step, first) -> () -> { }, "the loop", new HandshakeCallbacks() {
                    @Override
                    public void send(ControlFrame frame) {
                        write(frame.toBytes());
                    }

                    @Override
                    public void execute(Runnable task) {
                        task.run();
                    }

                    @Override
                    public void connected(PeerInfo peer) {
                        // The address follows.
                    }

                    @Override
                    public void failed(HandshakeFailure failure) {
                        throw new IllegalStateException(failure.detail());
                    }
                });
        handshake.start();
        handshake.received(Objects.requireNonNull(ControlFrame.parse(in.readNBytes(in.readInt()))));
        loopAddress = Objects.requireNonNull(BindFrame.parse(in.readNBytes(in.readInt()))).address();
    }

    /** Does the handshake for the address of a worker, from an address of this host. */
    public static StrangeLink connect(int port, String from, byte[] address) throws IOException {
        return new StrangeLink(new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(from), 0),
                address);
    }

    /** Returns the address of the loop's worker. */
    public byte[] loopAddress() {
        return loopAddress;
    }

    /** Sends the address. */
    public void send(byte[] address) {
        write(new BindFrame(BindFrame.Type.ADDRESS, identity.peerToken(), 0, address).toBytes());
    }

    private void write(byte[] frame) {
        try {
            out.writeInt(frame.length);
            out.write(frame);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
