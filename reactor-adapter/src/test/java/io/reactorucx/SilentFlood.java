package io.reactorucx;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Strangers of one address, who say the same to a server and then nothing. A number of them are connected; for each one
 * that the server ends comes another one, as fast as that goes.
 */
final class SilentFlood implements AutoCloseable {

    private final AtomicInteger ended = new AtomicInteger();
    private final CompletableFuture<Void> strangers;
    private volatile boolean closed;

    /**
     * Starts the flood.
     *
     * @param connected more than the server lets be pending
     */
    SilentFlood(int port, String from, byte[] said, int connected) {
        strangers = CompletableFuture.runAsync(() -> {
            Queue<SocketPeer> silent = new ArrayDeque<>();
            try {
                while (!closed) {
                    SocketPeer next = SocketPeer.connect(port, from);
                    silent.add(next);
                    next.sendRaw(said);
                    if (silent.size() > connected) {
                        SocketPeer oldest = silent.remove();
                        oldest.readToEnd();
                        oldest.close();
                        ended.incrementAndGet();
                    }
                }
            } finally {
                silent.forEach(SocketPeer::close);
            }
        }, task -> new Thread(task, "flood").start());
    }

    /** Returns how many the server has ended. */
    int ended() {
        return ended.get();
    }

    boolean goesOn() {
        return !strangers.isDone();
    }

    @Override
    public void close() {
        closed = true;
        Waits.get(strangers);
    }
}
