package io.reactorucx.transport.socket;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.HeapRoom;
import io.reactorucx.transport.command.SharedTimer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that serves the listening sockets and the control sockets of one {@code UcxResources}.
 *
 * <p><b>Threading:</b> {@link #execute} and {@link #close} from any thread, the other methods on the loop's.
 * <b>Ownership:</b> closing the loop closes the sockets that are registered. <b>Errors:</b> what a socket's handler
 * throws, an {@link Error} included, closes that socket only; what a task throws is logged. When the selector fails,
 * the thread ends: each registered handler is notified, and {@link #execute} refuses tasks.
 */
public final class SocketEventLoop implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(SocketEventLoop.class);

    /** Handles the events of one channel; attached to its key. */
    interface Events {

        void ready(SelectionKey key) throws IOException;

        /** The channel failed, or the loop ends: the handler closes its channel. */
        void failed(IOException error);
    }

    private static final int MAX_DISCARDED_BYTES = 16 << 10;
    /** The text of the system, which no exception of the JDK has a type for. */
    private static final String NO_MORE_FILES = "Too many open files";

    private final Selector selector;
    /** The handlers of open channels. The selector forgets its keys when it fails. */
    private final Set<Events> handlers = ConcurrentHashMap.newKeySet();
    private final ByteBuffer discarded = ByteBuffer.allocate(MAX_DISCARDED_BYTES);
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Throwable failure;

    private SocketEventLoop(Selector selector, ThreadFactory threads) {
        this.selector = selector;
        this.thread = threads.newThread(this);
    }

    public static SocketEventLoop start(ThreadFactory threads) {
        try {
            SocketEventLoop loop = new SocketEventLoop(Selector.open(), threads);
            loop.thread.start();
            return loop;
        } catch (IOException | LinkageError e) {
            // The JDK's classes of sockets fail to initialize where they cannot open a file.
            throw new UcxException(UcxStatus.NO_RESOURCE, "selector", null, explained(e), e);
        }
    }

    /**
     * Returns the text of an error, with the remedy when the process may open no more files. The method is in this
     * class because another one might not be loaded then.
     */
    static String explained(Throwable error) {
        for (Throwable each = error; each != null; each = each.getCause()) {
            String message = each.getMessage();
            if (message != null && message.contains(NO_MORE_FILES)) {
                return message + ": a connection takes several descriptors; raise the limit of the process (ulimit -n"
                        + " 65536; LimitNOFILE=65536 in a systemd unit; --ulimit nofile=65536 for docker run)";
            }
        }
        return String.valueOf(error.getMessage());
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

    /** Runs a task on the loop's thread after a delay, unless it is cancelled or the loop is closed. Thread: any. */
    public Future<?> schedule(Duration delay, Runnable task) {
        return SharedTimer.schedule(delay.toNanos(), () -> execute(task));
    }

    /** Runs a task on the loop's thread after the next select, which closes the channels of cancelled keys. */
    void afterSelect(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    SelectionKey register(SelectableChannel channel, int operations, Events events) throws IOException {
        try {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, operations, events);
            handlers.add(events);
            return key;
        } catch (ClosedSelectorException e) {
            throw endCause();
        }
    }

    /** Forgets a handler whose channel is closed. Thread: any. */
    void remove(Events events) {
        handlers.remove(events);
    }

    /** Returns an empty buffer for bytes that no handler reads, which all sockets share. */
    ByteBuffer discarded() {
        return discarded.clear();
    }

    /** Returns whether the thread has failed, so that another loop has to take its place. Thread: any. */
    public boolean hasFailed() {
        return failure != null;
    }

    /** Returns why the loop takes no more sockets. Thread: any. */
    IOException endCause() {
        Throwable cause = failure;
        return cause == null ? new IOException("these resources are closed")
                : new IOException("the thread for sockets has failed: " + cause, cause);
    }

    @Override
    public void run() {
        try {
            while (!closed) {
                selector.select();
                // An interrupt would make each select return at once.
                if (Thread.interrupted()) {
                    log("The thread for sockets was interrupted, which has no effect", null);
                }
                runTasks();
                selector.selectedKeys().forEach(SocketEventLoop::dispatch);
                selector.selectedKeys().clear();
            }
        } catch (Throwable t) {
            failure = t;
            log("The thread for sockets failed: its servers and pending handshakes end with an error", t);
        } finally {
            end();
        }
    }

    private void runTasks() {
        // Without those that are added meanwhile: a task may add itself again for the next round.
        for (int left = tasks.size(); left > 0; left--) {
            try {
                Objects.requireNonNull(tasks.poll()).run();
            } catch (Throwable t) {
                log("A task of the socket loop failed", t);
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
            fail(events, e);
        } catch (Throwable t) {
            log("Handling the events of a socket failed, it is closed", t);
            fail(events, new IOException(t));
        }
    }

    private static void fail(Events events, IOException error) {
        try {
            events.failed(error);
        } catch (Throwable t) {
            log("A socket was closed with an error", t);
        }
    }

    /** Logs an error; without memory the logger may throw as well, which must not end the thread. */
    private static void log(String message, @Nullable Throwable error) {
        try {
            LOG.error(message, error);
        } catch (Throwable t) {
            // Nothing is left to report it to.
        }
    }

    private void end() {
        closed = true;
        try {
            // Without memory, the signals that the sockets wait for would be lost midway, too.
            if (failure instanceof OutOfMemoryError) {
                HeapRoom.await();
            }
            IOException cause = endCause();
            handlers.forEach(events -> fail(events, cause));
        } catch (Throwable t) {
            log("The thread for sockets could not tell its sockets that it ends", t);
        }
        try {
            handlers.clear();
            selector.close();
            runTasks();
        } catch (Throwable t) {
            log("The thread for sockets did not end in good order", t);
        } finally {
            ended.complete(null);
        }
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
