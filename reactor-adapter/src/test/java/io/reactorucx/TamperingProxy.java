package io.reactorucx;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Passes the control socket of one connection on, and keeps or changes what it passes: somebody on the way. */
final class TamperingProxy implements AutoCloseable {

    private static final int CHUNK = 64 * 1024;

    /** Passes some bytes of one side on. */
    @FunctionalInterface
    interface Way {

        /**
         * Writes the bytes, or others.
         *
         * @param before the number of bytes that have come from this side before
         */
        void pass(boolean ofServer, long before, byte[] bytes, OutputStream out) throws IOException;
    }

    private final ServerSocket listener;
    private final Way way;
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();

    TamperingProxy(int server, Way way) {
        this.way = way;
        try {
            listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(() -> {
            try (Socket client = listener.accept(); Socket behind = new Socket("127.0.0.1", server)) {
                Thread back = start(() -> pass(true, behind, client));
                pass(false, client, behind);
                back.join();
            } catch (IOException e) {
                // Closed.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static Thread start(Runnable task) {
        return Thread.ofPlatform().daemon().name("tampering-proxy").start(task);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** What both sides have sent, each byte as a character. */
    String recorded() {
        synchronized (recorded) {
            return recorded.toString(StandardCharsets.ISO_8859_1);
        }
    }

    private void pass(boolean ofServer, Socket from, Socket to) {
        byte[] bytes = new byte[CHUNK];
        long before = 0;
        try {
            OutputStream out = to.getOutputStream();
            for (int read = from.getInputStream().read(bytes); read > 0; read = from.getInputStream().read(bytes)) {
                synchronized (recorded) {
                    recorded.write(bytes, 0, read);
                }
                way.pass(ofServer, before, Arrays.copyOf(bytes, read), out);
                before += read;
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // The other side has closed.
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
