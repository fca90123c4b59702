package io.reactorucx;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/**
 * Passes the control socket of one connection on, and gives one field of one byte, in the frames of one side, a number
 * that the other side does not know: as if that side were older than the field.
 */
final class FieldProxy implements AutoCloseable {

    private static final byte UNKNOWN = (byte) 200;
    private static final int CHUNK = 64 * 1024;

    private final ServerSocket listener;
    private final byte[] field;
    private final boolean ofServer;
    private volatile int hidden;

    private FieldProxy(int server, int field, int value, boolean ofServer) throws IOException {
        this.field = new byte[] {(byte) field, 0, 1, (byte) value};
        this.ofServer = ofServer;
        this.listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        start(() -> {
            try (Socket client = listener.accept(); Socket behind = new Socket("127.0.0.1", server)) {
                Thread back = start(() -> pass(behind, client, ofServer));
                pass(client, behind, !ofServer);
                back.join();
            } catch (IOException e) {
                // Closed.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Hides a field with this value in the frames of the server, or of the client. */
    static FieldProxy hiding(int field, int value, boolean ofServer, int serverPort) {
        try {
            return new FieldProxy(serverPort, field, value, ofServer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Thread start(Runnable task) {
        return Thread.ofPlatform().daemon().name("field-proxy").start(task);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Returns how often the field was there. */
    int hidden() {
        return hidden;
    }

    private void pass(Socket from, Socket to, boolean hides) {
        byte[] bytes = new byte[CHUNK];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(bytes); read > 0; read = in.read(bytes)) {
                if (hides) {
                    hide(ByteBuffer.wrap(bytes, 0, read));
                }
                out.write(bytes, 0, read);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // The other side has closed.
        }
    }

    private void hide(ByteBuffer frames) {
        for (int at = 0; at <= frames.limit() - field.length; at++) {
            if (frames.slice(at, field.length).equals(ByteBuffer.wrap(field))) {
                frames.put(at, UNKNOWN);
                hidden++;
            }
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
