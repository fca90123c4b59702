package io.reactorucx;

import io.reactorucx.transport.frame.ControlFrame;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Strangers at a server's handshake port, each of whom is refused, reads that, and leaves at once. */
final class HandshakeFlood implements AutoCloseable {

    private static final int THREADS = 2;

    private final int port;
    private final byte[] refusedFrame = RawFrames.frame(ControlFrame.PROTOCOL_VERSION, ControlFrame.Type.WELCOME, "");
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final AtomicLong refusals = new AtomicLong();
    private final List<CompletableFuture<Void>> strangers = new ArrayList<>();

    /** Starts the flood, which goes on while the condition holds. */
    HandshakeFlood(int port, BooleanSupplier goesOn) {
        this.port = port;
        for (int i = 0; i < THREADS; i++) {
            strangers.add(CompletableFuture.runAsync(() -> {
                while (goesOn.getAsBoolean()) {
                    beRefused();
                    refusals.incrementAndGet();
                }
            }, threads));
        }
    }

    private void beRefused() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) Waits.PATIENCE.toMillis());
            // A reset leaves no port of the client in TIME_WAIT, which would soon be all of them.
            socket.setSoLinger(true, 0);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(refusedFrame.length);
            out.write(refusedFrame);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            ControlFrame answer = ControlFrame.parse(in.readNBytes(in.readInt()));
            if (answer == null || answer.type() != ControlFrame.Type.REJECT) {
                throw new IllegalStateException("not refused: " + answer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether no stranger has failed; throws the error of one that has. */
    boolean isUnharmed() {
        strangers.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(CompletableFuture::join);
        return true;
    }

    long refusals() {
        return refusals.get();
    }

    /** Waits for the end of the flood; fails with the error of a stranger that was not refused. */
    void await(long seconds) {
        CompletableFuture.allOf(strangers.toArray(CompletableFuture[]::new)).orTimeout(seconds, TimeUnit.SECONDS)
                .join();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
