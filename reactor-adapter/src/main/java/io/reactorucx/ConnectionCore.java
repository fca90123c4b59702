package io.reactorucx;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * One connection on its engine's thread: what is under way, who receives, and how it ends.
 *
 * <p>The end in good order: no new operations, those under way finish, FIN, the peer's FIN_ACK, a flushing close. Where a step does not
 * come in time, or the peer is lost, the endpoint is closed by force: UCX allows one close, so its mode is chosen when all is known.
 */
final class ConnectionCore {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCore.class);

    /** The life of a connection, in this order. */
    enum State { CONNECTING, CONNECTED, CLOSING, CLOSED }

    private final ConnectionRegistry registry;
    private final ConnectionConfig config;
    private final String peer;
    private final long nonce;
    private final Sinks.Empty<Void> disposed = Sinks.empty();
    private final OperationList operations = new OperationList();
    private final Map<Integer, ActiveMessageReceiver> receivers = new HashMap<>();
    private final Set<ActiveMessage> offers = new HashSet<>();
    private final boolean bySocketAddress;
    private @Nullable UcpEndpoint endpoint;
    private @Nullable Handshake handshake;
    private volatile State state = State.CONNECTING;
    private boolean finSent;
    private boolean peerFinished;
    private boolean endpointClosing;

    ConnectionCore(ConnectionRegistry registry, ConnectionConfig config, String peer, long nonce, boolean bySocketAddress) {
        this.registry = registry;
        this.config = config;
        this.peer = peer;
        this.nonce = nonce;
        this.bySocketAddress = bySocketAddress;
    }

    /** Begins to make the connection, with an endpoint whose errors come to {@link #endpointFailed}. */
    void begin(UcpEndpoint made, Handshake listener) {
        endpoint = made;
        handshake = listener;
        registry.add(this, made);
    }

    void connected() {
        handshake = null;
        state = State.CONNECTED;
    }

    void endpointFailed(UcpEndpoint failed, int rawStatus) {
        if (state == State.CLOSED || endpointClosing) {
            return;
        }
        if (peerFinished) {
            LOG.debug("[{}] the peer has left", peer);
            closeEndpoint(CloseMode.FORCE);
            return;
        }
        UcxException error = new UcxException(rawStatus, "connection", peer);
        LOG.debug("[{}] lost", peer, error);
        Handshake waiting = handshake;
        handshake = null;
        state = State.CLOSING;
        operations.forEach(operation -> operation.connectionLost(rawStatus));
        List.copyOf(receivers.values()).forEach(receiver -> receiver.end(error));
        if (waiting != null) {
            waiting.failed(new UcxException(rawStatus, "connect", peer));
        }
        closeEndpoint(CloseMode.FORCE);
    }

    void control(ControlFrame frame) {
        switch (frame.type()) {
            case HELLO, WELCOME, REJECT -> {
                Handshake waiting = handshake;
                if (waiting != null) {
                    waiting.received(frame);
                }
            }
            case FIN -> peerFinished();
            case FIN_ACK -> {
                if (finSent) {
                    closeEndpoint(CloseMode.FLUSH);
                }
            }
        }
    }

    private void peerFinished() {
        if (peerFinished || state == State.CLOSED) {
            return;
        }
        peerFinished = true;
        List.copyOf(receivers.values()).forEach(receiver -> receiver.end(null));
        endReceives(new UcxClosedException("receive", peer, "the peer has closed the connection"));
        sendControl(ControlFrame.Type.FIN_ACK, new byte[0]);
        beginClose(CloseMode.FLUSH);
    }

    private void endReceives(RuntimeException error) {
        UcpWorker worker = registry.worker();
        operations.forEach(operation -> {
            if (operation.kind() == OperationKind.TAG_RECEIVE) {
                operation.abandon(error);
                operation.cancelled(worker);
            }
        });
    }

    void beginClose(CloseMode mode) {
        if (state == State.CLOSED || (state == State.CLOSING && mode == CloseMode.FLUSH)) {
            return;
        }
        if (state == State.CONNECTING) {
            closeEndpoint(CloseMode.FORCE);
            return;
        }
        state = State.CLOSING;
        List.copyOf(receivers.values()).forEach(receiver -> receiver.end(null));
        endReceives(new UcxClosedException("receive", peer, "the connection is closed"));
        if (mode == CloseMode.FORCE) {
            closeEndpoint(CloseMode.FORCE);
            return;
        }
        Schedulers.parallel().schedule(() -> execute(worker -> outOfTime()), config.closeTimeout().toMillis(), TimeUnit.MILLISECONDS);
        closeWhenIdle();
    }

    private void closeWhenIdle() {
        UcpEndpoint open = endpoint;
        if (state != State.CLOSING || endpointClosing || open == null || !operations.isEmpty() || open.inFlight() > 0) {
            return;
        }
        if (config.raw()) {
            closeEndpoint(CloseMode.FLUSH);
        } else if (peerFinished) {
            // Over a socket address the peer's flushing close arrives as an error of the endpoint; over a worker address nothing will.
            if (!bySocketAddress) {
                closeEndpoint(CloseMode.FLUSH);
            }
        } else if (!finSent) {
            finSent = true;
            sendControl(ControlFrame.Type.FIN, new byte[0]);
        }
    }

    private void outOfTime() {
        if (state != State.CLOSED) {
            LOG.debug("[{}] not closed in good order within {}", peer, config.closeTimeout());
            closeEndpoint(CloseMode.FORCE);
            closed();
        }
    }

    /** Closes the endpoint, by force where flushing is impossible, and the other way round. */
    private void closeEndpoint(CloseMode wanted) {
        UcpEndpoint open = endpoint;
        state = State.CLOSING;
        operations.forEach(operation -> operation.abandon(new UcxClosedException(operation.kind().ucxName(), peer, "the connection is closed")));
        List.copyOf(receivers.values()).forEach(receiver -> receiver.end(null));
        if (open == null) {
            closed();
        } else if (!endpointClosing) {
            CloseMode mode = config.errorMode() == ErrorMode.NONE ? CloseMode.FLUSH
                    : wanted == CloseMode.FLUSH && open.inFlight() > 0 ? CloseMode.FORCE : wanted;
            if (mode == CloseMode.FLUSH && open.inFlight() > 0) {
                LOG.warn("[{}] its endpoint stays until {} operations end: error mode NONE allows no other close", peer, open.inFlight());
                closed();
                return;
            }
            closeNow(open, mode);
        }
    }

    private void closeNow(UcpEndpoint open, CloseMode mode) {
        releaseOffers();
        endpointClosing = true;
        boolean done;
        try {
            done = open.close(mode, (status, length, tag) -> closed());
        } catch (UcxException e) {
            LOG.debug("[{}] close ended with an error", peer, e);
            done = true;
        }
        if (done) {
            closed();
        }
    }

    private void closed() {
        if (state != State.CLOSED) {
            state = State.CLOSED;
            registry.remove(this, endpoint);
            disposed.tryEmitEmpty();
        }
    }

    void sendControl(ControlFrame.Type type, byte[] rest) {
        UcpEndpoint open = endpoint;
        if (open == null) {
            return;
        }
        ControlFrame frame = new ControlFrame(ControlFrame.PROTOCOL_VERSION, type, config.errorMode(), Ucx.version(),
                registry.worker().maxHeaderBytes(), nonce, rest);
        byte[] bytes = frame.toBytes();
        MemorySegment payload = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes);
        try {
            open.amSend(ControlFrame.AM_ID, MemorySegment.NULL, payload, null, AmProtocol.EAGER, true,
                    (status, length, tag) -> closeWhenIdle());
        } catch (UcxException e) {
            LOG.debug("[{}] {} not sent", peer, type, e);
        }
    }

    /** Offers a message to whom receives its id here; answers whether somebody took it. */
    boolean offer(UcpActiveMessage message) {
        ActiveMessageReceiver receiver = receivers.get(message.id());
        return receiver != null && receiver.offer(message);
    }

    /** An offer has been handed out, which has to be fetched or released before the endpoint closes. */
    void offered(ActiveMessage message) {
        offers.add(message);
    }

    /** An offer is being fetched. */
    void fetched(ActiveMessage message) {
        offers.remove(message);
    }

    /** Gives an offer up that nobody will fetch. */
    void release(ActiveMessage message) {
        if (offers.remove(message)) {
            registry.worker().release(message.message());
        }
    }

    private void releaseOffers() {
        for (ActiveMessage offer : List.copyOf(offers)) {
            offer.take();
            release(offer);
        }
    }

    boolean add(ActiveMessageReceiver receiver) {
        if (state != State.CONNECTED || peerFinished) {
            receiver.end(state == State.CONNECTED ? null : new UcxClosedException("receive", peer, "the connection is closed"));
            return true;
        }
        if (receivers.putIfAbsent(receiver.id(), receiver) != null) {
            return false;
        }
        registry.receive(receiver.id());
        return true;
    }

    void remove(ActiveMessageReceiver receiver) {
        receivers.remove(receiver.id(), receiver);
    }

    boolean receives(int id) {
        return receivers.containsKey(id);
    }

    /** The endpoint for a new operation; refuses once the end has begun. */
    UcpEndpoint endpointFor(OperationKind kind) {
        UcpEndpoint open = endpoint;
        if (open == null || state != State.CONNECTED) {
            throw new UcxClosedException(kind.ucxName(), peer, "the connection is closed");
        }
        return open;
    }

    void link(ConnectionOperation<?> operation) {
        operations.add(operation);
    }

    void unlink(ConnectionOperation<?> operation) {
        operations.remove(operation);
    }

    void operationEnded() {
        if (state == State.CLOSING) {
            closeWhenIdle();
        }
    }

    /** Says what an operation ended of: the failure of the endpoint where UCX only says that it was cancelled. */
    RuntimeException explained(RuntimeException error, OperationKind kind) {
        UcpEndpoint of = endpoint;
        if (of != null && of.failure() != 0 && error instanceof UcxException ucx && ucx.status() == UcxStatus.CANCELED
                && !(error instanceof UcxClosedException)) {
            return new UcxException(of.failure(), kind.ucxName(), peer);
        }
        return error;
    }

    /** Runs something on the engine's thread; nothing happens once the engine is closed. */
    void execute(Consumer<UcpWorker> action) {
        engine().execute(new Command() {
            @Override
            public void run(UcpWorker worker) {
                action.accept(worker);
            }

            @Override
            public void reject(RuntimeException cause) {
                rejected(cause);
            }
        });
    }

    private void rejected(RuntimeException cause) {
        LOG.debug("[{}] command rejected", peer, cause);
        if (engine().isClosed()) {
            state = State.CLOSED;
            disposed.tryEmitEmpty();
        }
    }

    Mono<Void> close(CloseMode mode) {
        return Mono.defer(() -> {
            execute(worker -> beginClose(mode));
            return disposed.asMono();
        });
    }

    Mono<Void> onDispose() {
        return disposed.asMono();
    }

    ProgressEngine engine() {
        return registry.engine();
    }

    ConnectionRegistry registry() {
        return registry;
    }

    ConnectionConfig config() {
        return config;
    }

    String peer() {
        return peer;
    }

    long nonce() {
        return nonce;
    }

    @Nullable UcpEndpoint endpoint() {
        return endpoint;
    }

    State state() {
        return state;
    }}
