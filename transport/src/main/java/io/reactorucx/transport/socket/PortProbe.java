package io.reactorucx.transport.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks whether something listens at the tcp ports of a peer's worker, one port after the other. UCX connects with a
 * blocking call, on the engine's thread, and keeps the socket of an attempt that fails until its worker closes.
 *
 * <p>Thread: socket loop.
 */
public final class PortProbe implements SocketEventLoop.Events {

    private static final Logger LOG = LoggerFactory.getLogger(PortProbe.class);
    /** A peer can name as many as it likes. Those beyond count as silent. */
    private static final int MAX_PORTS = 16;
    private static final Duration TIME_FOR_A_PORT = Duration.ofSeconds(1);

    private final SocketEventLoop loop;
    private final Queue<InetSocketAddress> left;
    private final Set<InetSocketAddress> silent = new LinkedHashSet<>();
    private final Consumer<Set<InetSocketAddress>> whenDone;
    private @Nullable InetSocketAddress port;
    private @Nullable SocketChannel channel;
    private @Nullable Future<?> timeout;

    private PortProbe(SocketEventLoop loop, Collection<InetSocketAddress> ports,
            Consumer<Set<InetSocketAddress>> whenDone) {
        this.loop = loop;
        this.left = new ArrayDeque<>(ports);
        this.whenDone = whenDone;
    }

    /**
     * Starts to ask. Thread: any.
     *
     * @param ports in the order in which they are asked
     * @param whenDone gets those that do not accept a connection, once, on the socket loop; never once that has ended
     */
    public static void ask(SocketEventLoop loop, Collection<InetSocketAddress> ports,
            Consumer<Set<InetSocketAddress>> whenDone) {
        PortProbe probe = new PortProbe(loop, ports.stream().limit(MAX_PORTS).toList(), whenDone);
        ports.stream().skip(MAX_PORTS).forEach(probe.silent::add);
        loop.execute(probe::askNext);
    }

    private void askNext() {
        InetSocketAddress next = left.poll();
        port = next;
        if (next == null) {
            whenDone.accept(silent);
            return;
        }
        try {
            SocketChannel opened = SocketChannel.open();
            channel = opened;
            loop.register(opened, SelectionKey.OP_CONNECT, this);
            timeout = loop.schedule(TIME_FOR_A_PORT, () -> timedOut(next));
            if (opened.connect(next)) {
                answered(true);
            }
        } catch (IOException | RuntimeException e) {
            failed(new IOException(e));
        }
    }

    private void timedOut(InetSocketAddress asked) {
        if (asked.equals(port)) {
            failed(new IOException("no answer within " + TIME_FOR_A_PORT));
        }
    }

    @Override
    public void ready(SelectionKey key) throws IOException {
        SocketChannel asked = channel;
        if (asked != null && asked.finishConnect()) {
            answered(true);
        }
    }

    @Override
    public void failed(IOException error) {
        LOG.debug("the tcp port {} of a peer's worker", port, error);
        answered(false);
    }

    private void answered(boolean accepts) {
        InetSocketAddress asked = port;
        if (asked == null) {
            return;
        }
        if (!accepts) {
            silent.add(asked);
        }
        if (timeout != null) {
            timeout.cancel(false);
        }
        loop.remove(this);
        try {
            SocketChannel opened = channel;
            channel = null;
            if (opened != null) {
                opened.close();
            }
        } catch (IOException e) {
            LOG.debug("closing the probe of {}", asked, e);
        }
        askNext();
    }
}
