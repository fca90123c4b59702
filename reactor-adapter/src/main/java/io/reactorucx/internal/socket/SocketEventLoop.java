package io.reactorucx.internal.socket;

import io.reactorucx.internal.concurrent.EngineThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that looks after the sockets of some resources: those that listen, and one for each connection between
 * framework peers.
 *
 * <p><b>Threading:</b> {@link #execute} and {@link #close} from any thread, the rest on this one's. <b>Ownership:</b>
 * closing it closes the sockets that are registered. <b>Errors:</b> what a socket's events throw ends that socket only.
 */
public final class SocketEventLoop implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(SocketEventLoop.class);

    /** Told when its channel can do something; attached to the key. */
    interface Events {

        void ready(SelectionKey key) throws IOException;

        /** The channel failed, or the loop ends. */
        void failed(IOException error);
    }

    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean closed;

    private SocketEventLoop(Selector selector, String name) {
        this.selector = selector;
        this.thread = EngineThread.factory(name).newThread(this);
    }

    public static SocketEventLoop start(String name) {
        try {
            SocketEventLoop loop = new SocketEventLoop(Selector.open(), name);
            loop.thread.start();
            return loop;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs something on this thread, at once when it is the caller's; answers false, and runs nothing, once the loop
     * has been closed.
     */
    public boolean execute(Runnable task) {
        if (Thread.currentThread() == thread) {
            task.run();
            return true;
        }
        if (closed) {
            return false;
        }
        tasks.add(task);
        selector.wakeup();
        // Whoever comes after the last look at the tasks has not been heard.
        return !ended.isDone() || !tasks.remove(task);
    }

    /** Runs something on this thread once what was closed before is closed for the system, too. */
    void afterClose(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    SelectionKey register(SelectableChannel channel, int operations, Events events) throws IOException {
        try {
            channel.configureBlocking(false);
            return channel.register(selector, operations, events);
        } catch (ClosedSelectorException e) {
            throw new IOException("these resources are closed", e);
        }
    }

    @Override
    public void run() {
        try {
            while (!closed) {
                selector.select();
                runTasks();
                selector.selectedKeys().forEach(SocketEventLoop::dispatch);
                selector.selectedKeys().clear();
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("No more connections can be made: the thread for sockets ends", e);
        } finally {
            end();
        }
    }

    private void runTasks() {
        // Not those that come meanwhile: one may wait for the next round.
        for (int left = tasks.size(); left > 0; left--) {
            try {
                Objects.requireNonNull(tasks.poll()).run();
            } catch (RuntimeException e) {
                LOG.error("Something that was to be done about a socket was not", e);
            }
        }
    }

    private static void dispatch(SelectionKey key) {
        Events events = (Events) key.attachment();
        try {
            if (key.isValid()) {
                events.ready(key);
            }
        } catch (IOException e) {
            events.failed(e);
        } catch (RuntimeException e) {
            LOG.error("What came over a socket was not understood, it is closed", e);
            events.failed(new IOException(e));
        }
    }

    private void end() {
        closed = true;
        selector.keys().forEach(key -> {
            try {
                ((Events) key.attachment()).failed(new IOException("these resources are closed"));
                key.channel().close();
            } catch (IOException | RuntimeException e) {
                LOG.debug("A socket was not closed in good order", e);
            }
        });
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("The selector was not closed in good order", e);
        }
        runTasks();
        ended.complete(null);
        while (!tasks.isEmpty()) {
            runTasks();
        }
    }

    /** Ends the thread and closes the sockets; completes when that is done. */
    public CompletableFuture<Void> close() {
        closed = true;
        selector.wakeup();
        return ended;
    }
}
