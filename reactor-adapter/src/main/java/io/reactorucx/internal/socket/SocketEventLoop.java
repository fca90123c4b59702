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
 * The thread that serves the listening sockets and the control sockets of one {@code UcxResources}.
 *
 * <p><b>Threading:</b> {@link #execute} and {@link #close} from any thread, the other methods on the loop's.
 * <b>Ownership:</b> closing the loop closes the sockets that are registered. <b>Errors:</b> an exception of a socket's
 * handler closes that socket only.
 */
public final class SocketEventLoop implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(SocketEventLoop.class);

    /** Handles the events of one channel; attached to its key. */
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
     * Runs a task on the loop's thread, immediately when the caller runs on it. Returns false, and does not run the
     * task, once the loop is closed.
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
        // A task queued after the last poll would never run.
        return !ended.isDone() || !tasks.remove(task);
    }

    /** Runs a task on the loop's thread after the next select, which closes the channels of cancelled keys. */
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
            LOG.error("The thread for sockets failed: no more connections can be made", e);
        } finally {
            end();
        }
    }

    private void runTasks() {
        // Without those that are added meanwhile: a task may add itself again for the next round.
        for (int left = tasks.size(); left > 0; left--) {
            try {
                Objects.requireNonNull(tasks.poll()).run();
            } catch (RuntimeException e) {
                LOG.error("A task of the socket loop failed", e);
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
            LOG.error("Handling the events of a socket failed, it is closed", e);
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
                LOG.debug("Closing a socket failed", e);
            }
        });
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("Closing the selector failed", e);
        }
        runTasks();
        ended.complete(null);
        while (!tasks.isEmpty()) {
            runTasks();
        }
    }

    /** Ends the thread and closes the sockets; the future completes after that. */
    public CompletableFuture<Void> close() {
        closed = true;
        selector.wakeup();
        return ended;
    }
}
