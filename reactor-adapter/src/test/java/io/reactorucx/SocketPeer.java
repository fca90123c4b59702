package io.reactorucx;

import io.reactorucx.transport.frame.ControlFrame;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Objects;

/** Whoever speaks to a client's or a server's socket: frames, any bytes, or nothing. */
final class SocketPeer implements AutoCloseable {

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    private SocketPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) Waits.PATIENCE.toMillis());
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    static SocketPeer connect(int port) {
        try {
            return new SocketPeer(new Socket(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connects from an address of this host, each of which has ports of its own. */
    static SocketPeer connect(int port, String from) {
        try {
            return new SocketPeer(new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(from), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ServerSocket listen() throws IOException {
        ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listening.setSoTimeout((int) Waits.PATIENCE.toMillis());
        return listening;
    }

    static SocketPeer accept(ServerSocket listening) throws IOException {
        return new SocketPeer(listening.accept());
    }

    /** Sends one frame, of whatever bytes. */
    void send(byte[] frame) {
        try {
            out.writeInt(frame.length);
            out.write(frame);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends bytes without a frame; answers whether the other side still took them. */
    boolean sendRaw(byte[] bytes) {
        try {
            out.write(bytes);
            return true;
        } catch (SocketException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] next() {
        try {
            byte[] frame = new byte[in.readInt()];
            in.readFully(frame);
            return frame;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ControlFrame nextControl() {
        return Objects.requireNonNull(ControlFrame.parse(next()), "no control frame");
    }

    /** Waits until the other side has ended the socket; fails when it says more, or does not. */
    void awaitEnd() {
        try {
            int more = in.read();
            if (more >= 0) {
                throw new AssertionError("it said more: " + more);
            }
        } catch (EOFException | SocketException e) {
            // That is an end as well.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the other side has ended the socket, whatever it says before. */
    void readToEnd() {
        try {
            in.readAllBytes();
        } catch (SocketException e) {
            // That is an end as well.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
