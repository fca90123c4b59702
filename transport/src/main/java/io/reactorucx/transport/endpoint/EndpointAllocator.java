package io.reactorucx.transport.endpoint;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.EndpointErrorHandler;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpPeerAddress;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.command.DelayedAction;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Allocates the endpoints of one worker that lead to other workers by their addresses, so that the two endpoints of a
 * connection are a pair.
 *
 * <p>UCX pairs the nth endpoint that worker A makes to worker B with the nth that B makes to A. So both sides count,
 * and the accepting side makes endpoints until it has as many as the initiating side. An endpoint that it makes on the
 * way belongs to a connection whose BIND has not arrived yet, or never will; it stays idle until that BIND comes or a
 * timeout closes it. Of the endpoints that a worker makes to itself, numbers 2n and 2n + 1 are a pair.
 *
 * <p>Thread: engine.
 */
public final class EndpointAllocator {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointAllocator.class);

    /** UCX counts endpoints in 16 bits, and pairs none beyond. */
    private static final int MAX_NUMBER = 0xFFFE;

    /** The endpoints that a BIND may be ahead of those that are awaited: a raw connection makes one, too. */
    private static final int MAX_UNEXPECTED = 16;

    /** The endpoints that a BIND may make this side create before the engine does something else. */
    private static final int MAX_AT_A_TIME = 4;

    /** Processes whose idle endpoints keep their memory mapped, and are looked at together. */
    private static final int IDLE_PROCESSES_AT_A_TIME = 4;

    private static final Duration NEXT_ROUND = Duration.ofNanos(1);
    private static final Duration CLOSE_RETRY = Duration.ofMillis(200);

    private final ProgressEngine engine;
    private final UcpWorker worker;
    private final long uid;
    private final PeerProcesses processes;
    private final ExpectedEndpoints expected;
    /** The number of endpoints that have been made to each worker. */
    private final Map<Long, Integer> counts = new HashMap<>();
    private final Map<EndpointIndex, PooledEndpoint> idle = new HashMap<>();
    private final Set<EndpointIndex> inUse = new HashSet<>();
    /** The action to run when the connection that uses an endpoint releases it. */
    private final Map<EndpointIndex, Runnable> waiters = new HashMap<>();
    /** Released endpoints that the initiating side may give to its next connection with the same worker. */
    private final Map<Long, Deque<PooledEndpoint>> reusable = new HashMap<>();
    private final Queue<Runnable> queuedSelfConnects = new ArrayDeque<>();
    private boolean selfConnectLocked;

    public EndpointAllocator(ProgressEngine engine, UcpWorker worker, byte[] ownAddress) {
        this.engine = engine;
        this.processes = new PeerProcesses(engine, "the look for ended peers of idle endpoints",
                IDLE_PROCESSES_AT_A_TIME, 1);
        this.expected = new ExpectedEndpoints(engine, this);
        this.worker = worker;
        this.uid = UcpWorker.uid(ownAddress);
    }

    /** An endpoint that one connection uses, and its number among the endpoints to the same worker. */
    public interface AllocatedEndpoint {

        UcpEndpoint endpoint();

        int number();

        /** Returns the name of the peer, for the log. */
        default String peer() {
            return endpoint().peer();
        }

        /** Returns whether another connection could use the endpoint: it is open, and has not failed. */
        default boolean isUsable() {
            return !endpoint().isClosed() && endpoint().failure() == 0;
        }

        /** Returns whether no byte stream was used: only a close ends its receives, and drops bytes not received. */
        default boolean hasNoStream() {
            return endpoint().stream().receives() == 0 && !endpoint().stream().hasSent();
        }

        /** Returns the number of operations in flight. */
        default long inFlight() {
            return endpoint().inFlight();
        }

        /** Frees the keys of remote memory; throws {@link IllegalStateException} while one is in use. */
        default void closeKeys() {
            endpoint().closeKeys();
        }

        /** Reserves room among the idle endpoints, of the peer's share, and returns whether there was room. */
        boolean reserveIdleSlot(FairLimit limit, PeerOrigin of);

        /** Makes the endpoint to a process idle: its connection has ended, and no operation is in flight on it. */
        void release(PeerProcess process);

        /** Forgets the endpoint: it was closed with its connection. */
        void endpointClosed();
    }

    /**
     * The request of a connection for its endpoint.
     *
     * @param errorMode the error mode of UCX
     * @param peer the peer's name, for logs and errors
     * @param onError is notified when the endpoint fails
     * @param idleTimeout how long an endpoint that was made on the way to the wanted one waits for its connection
     */
    public record EndpointRequest(ErrorMode errorMode, String peer, EndpointErrorHandler onError,
            Duration idleTimeout) {
    }

    /**
     * Returns whether this side initiates the connection: its worker has the larger uid, or it is the client of a
     * connection of the worker with itself.
     */
    public boolean isInitiator(UcpPeerAddress address, boolean client) {
        int order = Long.compareUnsigned(uid, address.worker());
        return order > 0 || order == 0 && client;
    }

    /**
     * Runs an action that connects to a worker. Connections of this worker to itself run one at a time, the others
     * queue until {@link #releaseSelfConnectLock}: two in progress at once would pair with each other.
     */
    public void lockSelfConnect(UcpPeerAddress address, Runnable connect) {
        if (address.worker() != uid) {
            connect.run();
        } else if (selfConnectLocked) {
            queuedSelfConnects.add(connect);
        } else {
            selfConnectLocked = true;
            connect.run();
        }
    }

    /** Ends the exclusive phase of a self-connection, and starts the next queued one. */
    public void releaseSelfConnectLock(UcpPeerAddress address) {
        if (address.worker() == uid) {
            selfConnectLocked = false;
            Runnable next = queuedSelfConnects.poll();
            if (next != null) {
                selfConnectLocked = true;
                next.run();
            }
        }
    }

    /**
     * Returns a released endpoint for the initiating side, null where a new one has to be made.
     *
     * @param allowed returns whether the connection may go over an endpoint: one that is taken and then refused would
     *     be lost, and its pair would stay idle for good
     */
    public @Nullable AllocatedEndpoint reuse(UcpPeerAddress address, EndpointRequest request,
            Predicate<UcpEndpoint> allowed) {
        for (PooledEndpoint released : reusable.getOrDefault(address.worker(), new ArrayDeque<>())) {
            if (released.fits(request) && allowed.test(released.endpoint())) {
                return released.allocate(request);
            }
        }
        return null;
    }

    /**
     * Returns a new endpoint for the initiating side.
     *
     * @param announce gets the number of the endpoint before UCX makes it, and begins to connect
     */
    public AllocatedEndpoint initiate(UcpPeerAddress address, EndpointRequest request, IntConsumer announce) {
        long peer = address.worker();
        if (peer == uid && count(peer) % 2 != 0) {
            addIdle(create(peer, address, request), request.idleTimeout());
        }
        announce.accept(count(peer));
        return create(peer, address, request).allocate(request);
    }

    /** Expects the endpoint that a peer makes for a connection, of which it has not told the number. */
    public ExpectedEndpoint expect(UcpPeerAddress address) {
        return new ExpectedEndpoint(expected, address, null);
    }

    /**
     * Expects the endpoint that a peer makes for a connection.
     *
     * @param number the number that the peer has told, and with which BIND has to come
     * @param awaiting the number of all connections that wait for BIND: what peers tell comes in any order
     */
    public ExpectedEndpoint expect(UcpPeerAddress address, int number, int awaiting, String name) {
        long peer = address.worker();
        requireNear(peer, number, awaiting, name);
        EndpointIndex index = new EndpointIndex(peer, number);
        if (peer == uid || hasMade(index)) {
            return expect(address);
        }
        expected.announce(index);
        return new ExpectedEndpoint(expected, address, index);
    }

    /** Returns whether this side has made its endpoint of a pair. */
    boolean hasMade(EndpointIndex index) {
        return count(index.peer()) > Math.min(index.number(), MAX_NUMBER);
    }

    /** Returns the endpoint that would be made next. */
    EndpointIndex next(long peer) {
        return new EndpointIndex(peer, count(peer));
    }

    /** Closes the endpoint that UCX has made for the next one of a peer, if it has. */
    void takeOver(UcpPeerAddress address) {
        counts.merge(address.worker(), 1, Integer::sum);
        expected.paired(address.worker());
        try {
            closeUnused(address.takeOver(new EndpointOptions(ErrorMode.PEER, "a peer that has gone",
                    (endpoint, status) -> closeUnused(endpoint))));
        } catch (UcxException e) {
            LOG.debug("UCX has no endpoint of a peer that has gone", e);
        }
    }

    /**
     * Returns the endpoint that UCX pairs with the initiator's endpoint number {@code bind.number()}. Returns null when
     * that is not there yet, and {@code again} runs when another attempt is worth it: an earlier connection that uses
     * the endpoint has ended, or the engine has done something else than to make endpoints.
     *
     * @param awaiting the number of all connections that wait for BIND
     */
    public @Nullable AllocatedEndpoint accept(BindFrame bind, UcpPeerAddress address, UcpActiveMessage message,
            EndpointRequest request, int awaiting, Runnable again) {
        long peer = address.worker();
        requireNear(peer, bind.number(), awaiting, request.peer());
        int number = peer == uid ? bind.number() ^ 1 : bind.number();
        if (count(peer) <= number && !message.isFromNewPeer()) {
            // UCX has made no endpoint that could be the pair.
            throw notPaired(request.peer());
        }
        for (int i = 0; i < MAX_AT_A_TIME && count(peer) <= number; i++) {
            if (count(peer) < number) {
                expected.paired(peer);
            }
            addIdle(create(peer, address, request), request.idleTimeout());
        }
        if (count(peer) <= number) {
            DelayedAction.after(engine, NEXT_ROUND, again);
            return null;
        }
        EndpointIndex index = new EndpointIndex(peer, number);
        PooledEndpoint found = idle.get(index);
        if (found != null && found.fits(request) && message.isAnsweredBy(found.endpoint())) {
            return found.allocate(request);
        }
        if (found != null || !inUse.contains(index)) {
            throw notPaired(request.peer());
        }
        waiters.put(index, again);
        return null;
    }

    /** Refuses a number that no peer reaches which makes one endpoint for each connection. */
    private void requireNear(long peer, int number, int awaiting, String name) {
        int next = count(peer) + expected.lost(peer) + awaiting;
        if (number - next >= MAX_UNEXPECTED) {
            throw new UcxException(UcxStatus.REJECTED, "connect", name, "the peer says that its endpoint is number "
                    + number + ", and the next one is at most " + next);
        }
    }

    /** Returns the error of a connection whose two endpoints are no pair. */
    public static UcxException notPaired(String peer) {
        return new UcxException(UcxStatus.NOT_CONNECTED, "connect", peer,
                "UCX has not paired the endpoints of both sides, as after the failure of one before; try again");
    }

    /** Cancels the wait of {@link #accept} for an endpoint. */
    public void cancelWait(Runnable whenReleased) {
        waiters.values().remove(whenReleased);
    }

    /** Returns an endpoint that is not pooled, and whose pair is whichever endpoint the peer makes next. */
    public UcpEndpoint connectUnpooled(UcpPeerAddress address, EndpointOptions options) {
        // Counted before the call: UCX counts an endpoint whose creation fails, too.
        counts.merge(address.worker(), 1, Integer::sum);
        return connect(address, options);
    }

    private UcpEndpoint connect(UcpPeerAddress address, EndpointOptions options) {
        try {
            return address.connect(options);
        } catch (UcxException e) {
            throw e.status() != UcxStatus.UNREACHABLE ? e : new NoTransportException(options.peer(),
                    String.join(", ", worker.context().transports()), e);
        }
    }

    private int count(long peer) {
        return counts.getOrDefault(peer, 0);
    }

    /** Returns what the address of a peer says, and refuses one that cannot be connected to. */
    public UcpPeerAddress checked(byte[] address, String peer) {
        try {
            return worker.peerAddress(address);
        } catch (IllegalArgumentException e) {
            throw new UcxException(UcxStatus.INVALID_ADDR, "connect", peer, "the peer's " + e.getMessage(), e);
        } catch (UcxException e) {
            throw new UcxException(e.status(), "connect", peer, "the peer's worker cannot be reached", e);
        }
    }

    private PooledEndpoint create(long peer, UcpPeerAddress address, EndpointRequest request) {
        int number = count(peer);
        if (number > MAX_NUMBER) {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "connect", request.peer(), "UCX pairs at most " + number
                    + " endpoints of two workers: use another engine, or new resources");
        }
        PooledEndpoint created = new PooledEndpoint(new EndpointIndex(peer, number));
        EndpointOptions options = new EndpointOptions(request.errorMode(), request.peer(), created);
        // Counted before the call: UCX counts an endpoint whose creation fails, too.
        counts.put(peer, number + 1);
        created.endpoint = connect(address, peer == uid ? options.withoutLoopback() : options);
        return created;
    }

    private void addIdle(PooledEndpoint created, Duration timeout) {
        LOG.debug("{} waits for its connection", created.index);
        idle.put(created.index, created);
        created.idleTimeout = DelayedAction.after(engine, timeout, () -> closeIdle(created));
    }

    private void closeIdle(PooledEndpoint unused) {
        UcpEndpoint endpoint = unused.endpoint;
        if (unused.owner == null && unused.removeIdle() && endpoint != null && !endpoint.isClosed()) {
            closeUnused(endpoint);
        }
    }

    /**
     * Closes an endpoint that nobody uses. This waits while a direct pointer into the peer's memory is in use, and with
     * error mode NONE until the receives of the worker allow a flushing close.
     */
    public void closeUnused(UcpEndpoint endpoint) {
        if (endpoint.isClosed()) {
            return;
        }
        boolean force = endpoint.errorMode() == ErrorMode.PEER;
        try {
            if (force || endpoint.mayFlush()) {
                endpoint.close(force ? CloseMode.FORCE : CloseMode.FLUSH, (status, length, tag) -> { });
                return;
            }
        } catch (IllegalStateException e) {
            LOG.debug("[{}] the endpoint is closed later", endpoint.peer(), e);
        }
        DelayedAction.after(engine, CLOSE_RETRY, () -> closeUnused(endpoint));
    }

    /** An endpoint that consecutive connections use, and the handler that is notified of its failure. */
    private final class PooledEndpoint implements EndpointErrorHandler, AllocatedEndpoint {

        private final EndpointIndex index;
        private @Nullable UcpEndpoint endpoint;
        private @Nullable EndpointErrorHandler owner;
        private @Nullable DelayedAction idleTimeout;
        private final Runnable close = () -> closeIdle(this);
        private PeerProcess process = PeerProcess.UNKNOWN;
        /** Gives the room among the idle endpoints back. */
        private @Nullable Runnable idleSlot;

        PooledEndpoint(EndpointIndex index) {
            this.index = index;
        }

        AllocatedEndpoint allocate(EndpointRequest request) {
            if (idleTimeout != null) {
                // The timeout is for the first connection. A released endpoint stays idle without a limit of time.
                idleTimeout.cancel();
            }
            removeIdle();
            owner = request.onError();
            inUse.add(index);
            endpoint().peer(request.peer());
            return this;
        }

        /** Removes this endpoint from the idle ones, and returns whether it was idle. */
        private boolean removeIdle() {
            processes.remove(process, close);
            boolean wasIdle = idle.remove(index, this);
            Deque<PooledEndpoint> ofPeer = reusable.get(index.peer());
            if (ofPeer != null && ofPeer.remove(this) && ofPeer.isEmpty()) {
                reusable.remove(index.peer());
            }
            releaseIdleSlot();
            return wasIdle;
        }

        /** Returns whether the endpoint was made with the error mode that is asked for. */
        private boolean fits(EndpointRequest request) {
            return endpoint().errorMode() == request.errorMode();
        }

        @Override
        public boolean reserveIdleSlot(FairLimit limit, PeerOrigin of) {
            if (idleSlot == null && limit.tryAcquire(of) == FairLimit.Outcome.ACQUIRED) {
                idleSlot = () -> limit.release(of);
            }
            return idleSlot != null;
        }

        private void releaseIdleSlot() {
            Runnable reserved = idleSlot;
            idleSlot = null;
            if (reserved != null) {
                reserved.run();
            }
        }

        @Override
        public UcpEndpoint endpoint() {
            return Objects.requireNonNull(endpoint);
        }

        @Override
        public int number() {
            return index.number();
        }

        @Override
        public void release(PeerProcess lastPeer) {
            owner = null;
            process = lastPeer;
            idle.put(index, this);
            processes.add(lastPeer, close);
            if (index.peer() == uid ? index.number() % 2 == 0 : Long.compareUnsigned(uid, index.peer()) > 0) {
                reusable.computeIfAbsent(index.peer(), peer -> new ArrayDeque<>()).add(this);
            }
            endUse();
        }

        @Override
        public void endpointClosed() {
            releaseIdleSlot();
            endUse();
        }

        private void endUse() {
            inUse.remove(index);
            Runnable waiter = waiters.remove(index);
            if (waiter != null) {
                waiter.run();
            }
        }

        @Override
        public void onError(UcpEndpoint failed, int rawStatus) {
            EndpointErrorHandler notified = owner;
            if (notified == null) {
                closeIdle(this);
            } else {
                notified.onError(failed, rawStatus);
            }
        }
    }
}
