package io.reactorucx.transport.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpPeerAddress;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.carrier.EndpointRelease;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.endpoint.EndpointAllocator;
import io.reactorucx.transport.endpoint.ExpectedEndpoint;
import io.reactorucx.transport.endpoint.NoTransportException;
import io.reactorucx.transport.endpoint.PeerHost;
import io.reactorucx.transport.endpoint.TransportRefusedException;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.ConnectListener;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Rejection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One side's steps to an endpoint for a new connection. The initiating side makes an endpoint and sends BIND over it;
 * the accepting side makes the endpoint that UCX pairs with that one and replies BOUND. The server sends READY to a
 * BOUND. The client's side is done when BOUND has come, or READY if it was the accepting side.
 *
 * <p>Thread: engine.
 */
final class EndpointBinding implements ConnectListener {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointBinding.class);

    private enum Stage {
        /** The peer does not know this side's worker yet, or has no endpoint of it: connecting can be aborted. */
        ADDRESSES,
        /** Endpoints are made on both sides, which UCX counts: connecting completes even if it is cancelled. */
        ENDPOINTS,
        /** The subscriber has cancelled: the connection is closed as soon as both endpoints are bound. */
        CANCELLED
    }

    private final NewConnection made;
    private final ConnectionCore connection;
    private final PendingBindings bindings;
    private final TransportChoice choice;
    private final boolean client;
    private final ConnectionIdentity identity;
    private final byte[] ownAddress;
    private final PeerHost host;
    private final IntConsumer announce;
    private final Runnable whenReady;
    private final Consumer<RuntimeException> whenFailed;
    private final EndpointAllocator.EndpointRequest request;
    private Stage stage = Stage.ADDRESSES;
    /** Of the peer's worker, once that has told it. */
    private @Nullable UcpPeerAddress address;
    private @Nullable UcpPeerAddress selfConnectAddress;
    /** The peer's, while this side waits for BIND. */
    private @Nullable ExpectedEndpoint expected;
    private @Nullable UcpEndpoint endpoint;
    private @Nullable EndpointRelease endpointRelease;
    private boolean reserved;
    private int number;

    /**
     * Creates the binding of a connection.
     *
     * @param choice what both sides require of the endpoint
     * @param host where the peer is
     * @param announce tells the server the address of this side's worker, and the number of the endpoint that this side
     *     makes, 0 where the peer makes the first one; only for the client's side
     */
    EndpointBinding(NewConnection made, PendingBindings bindings, TransportChoice choice,
            ConnectionIdentity identity, byte[] ownAddress, PeerHost host, IntConsumer announce, Runnable whenReady,
            Consumer<RuntimeException> whenFailed) {
        this.made = made;
        this.connection = made.connection();
        this.bindings = bindings;
        this.choice = choice;
        this.client = choice.isOfClient();
        this.identity = identity;
        this.ownAddress = ownAddress;
        this.host = host;
        this.announce = announce;
        this.whenReady = whenReady;
        this.whenFailed = whenFailed;
        this.request = new EndpointAllocator.EndpointRequest(connection.config().errorMode(), connection.peer(),
                connection::endpointFailed, connection.config().handshakeTimeout());
        identity.bindAs(client);
    }

    /** Returns the address of the peer's worker, null before that has told it. */
    @Nullable UcpPeerAddress peerAddress() {
        return address;
    }

    /** Takes the address of the peer's worker: the side with the larger number initiates. */
    void start(BindFrame frame) {
        if (address != null || !connection.phase().isConnecting()) {
            return;
        }
        try {
            UcpPeerAddress checked = checked(frame);
            choice.requirePossible(checked);
            if (bindings.endpoints().isInitiator(checked, client)) {
                reserve();
                initiate(checked);
            } else if (client) {
                awaitBind();
                expect(bindings.endpoints().expect(checked));
                announce.accept(0);
            } else {
                expect(bindings.endpoints().expect(checked, frame.number(), bindings.awaiting(), connection.peer()));
                reserve();
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** Returns the address that a peer has sent; one of this process is only for peers of this process. */
    private UcpPeerAddress checked(BindFrame frame) {
        UcpPeerAddress checked = bindings.endpoints().checked(frame.address(), connection.peer());
        if (checked.isOfThisProcess() && !identity.isPeerOfThisProcess(!client)) {
            throw new UcxException(UcxStatus.INVALID_ADDR, "connect", connection.peer(),
                    "the peer has sent the address of a worker of this process, and is not of this process");
        }
        address = checked;
        return checked;
    }

    /** Takes room for an endpoint that is not bound, which a client can fill for itself alone. */
    private void reserve() {
        if (client) {
            return;
        }
        PeerOrigin origin = identity.origin();
        FairLimit unbound = bindings.unbound();
        if (unbound.tryAcquire(origin) != FairLimit.Outcome.ACQUIRED) {
            throw new UcxException(UcxStatus.NO_RESOURCE, "connect", connection.peer(), unbound.count(origin) + " of "
                    + unbound.count() + " endpoints that are not bound yet are for " + origin
                    + ", and maxUnboundEndpoints is " + unbound.limit() + ", of which one client can have "
                    + unbound.share());
        }
        reserved = true;
        if (expected == null) {
            connection.end().listen(this::ended);
        }
    }

    private void ended() {
        ExpectedEndpoint lost = expected;
        if (lost != null) {
            expected = null;
            lost.lost(this::release);
        } else {
            release();
        }
    }

    private void release() {
        if (reserved) {
            reserved = false;
            bindings.unbound().release(identity.origin());
        }
    }

    /** The endpoint is expected even where the peer is refused: it may have been made already. */
    private void expect(ExpectedEndpoint endpoint) {
        expected = endpoint;
        connection.end().listen(this::ended);
    }

    /** Accepts the peer's BIND from now on. */
    void awaitBind() {
        if (connection.phase().isConnecting()) {
            if (client) {
                stage = Stage.ENDPOINTS;
            }
            long token = identity.ownToken();
            bindings.addAccepting(token, this);
            connection.end().listen(() -> bindings.remove(token, this));
        }
    }

    private void initiate(UcpPeerAddress peer) {
        if (connection.phase().isConnecting() && endpoint == null) {
            stage = Stage.ENDPOINTS;
            long token = identity.ownToken();
            bindings.addInitiating(token, this);
            connection.end().listen(() -> {
                bindings.remove(token, this);
                releaseSelfConnectLock();
            });
            bindings.endpoints().lockSelfConnect(peer, () -> connect(peer));
        }
    }

    private void connect(UcpPeerAddress peer) {
        selfConnectAddress = peer;
        if (!connection.phase().isConnecting()) {
            releaseSelfConnectLock();
            return;
        }
        EndpointAllocator.AllocatedEndpoint released = bindings.endpoints().reuse(peer, request, choice::allows);
        if (released != null) {
            announce.accept(released.number());
            made(released);
        } else {
            bindings.reachable(peer, host, this::connectAnew);
        }
    }

    private void connectAnew(UcpPeerAddress reachable) {
        if (!connection.phase().isConnecting()) {
            releaseSelfConnectLock();
            return;
        }
        try {
            if (!reachable.namesTransports()) {
                throw new UcxException(UcxStatus.UNREACHABLE, "connect", connection.peer(), "the peer's worker cannot"
                        + " be reached: of what its address names, the tcp ports do not answer or are not the peer's,"
                        + " and shared memory cannot be the peer's, who is at " + host.address().getHostAddress());
            }
            made(bindings.endpoints().initiate(reachable, request, announce));
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void made(EndpointAllocator.AllocatedEndpoint allocated) {
        try {
            attach(allocated);
            number = allocated.number();
            LOG.debug("[{}] allocated endpoint {}", connection.name(), number);
            connection.wireUpStarted();
            // The flush completes when the endpoint is wired up. Nothing may be sent before: UCX 1.13 would choose the
            // protocol by the limits of tcp, and lose what exceeds those of the shared memory that it uses then.
            if (allocated.endpoint().flush((status, length, tag) -> wireUpEnded(status))) {
                wireUpEnded(0);
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void releaseSelfConnectLock() {
        UcpPeerAddress locked = selfConnectAddress;
        selfConnectAddress = null;
        if (locked != null) {
            bindings.endpoints().releaseSelfConnectLock(locked);
        }
    }

    private void wireUpEnded(int status) {
        LOG.debug("[{}] wire-up ended with status {}", connection.name(), status);
        // In error mode NONE a failed endpoint cannot be closed before this.
        connection.wireUpEnded();
        UcpEndpoint made = endpoint;
        if (status == 0 && made != null && connection.phase().isConnecting()) {
            try {
                choice.requireTaken(made, address);
                send(new BindFrame(BindFrame.Type.BIND, identity.peerToken(), number, ownAddress));
            } catch (RuntimeException e) {
                fail(e);
            }
        }
    }

    private void send(BindFrame frame) {
        UcpEndpoint made = endpoint;
        if (made != null) {
            MemorySegment payload = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, frame.toBytes());
            try {
                made.amSendUrgent(ReservedMessageIds.PAIRING, payload, (status, length, tag) ->
                        connection.operationEnded());
            } catch (UcxException e) {
                fail(new UcxException(UcxStatus.NO_RESOURCE, "connect", connection.peer(),
                        "the handshake could not be sent", e));
            }
        }
    }

    /** Takes a frame that the peer has sent over its new endpoint. */
    void received(BindFrame frame, UcpActiveMessage message) {
        if (!connection.phase().isConnecting()) {
            return;
        }
        LOG.debug("[{}] received {}", connection.name(), frame.type());
        UcpEndpoint made = endpoint;
        if (frame.type() == BindFrame.Type.BIND && made == null) {
            accept(frame, message);
        } else if (made == null || !message.isAnsweredBy(made)) {
            LOG.debug("[{}] {} came over another endpoint", connection.name(), frame.type());
        } else if (frame.type() == BindFrame.Type.BOUND) {
            releaseSelfConnectLock();
            if (!client) {
                send(new BindFrame(BindFrame.Type.READY, identity.peerToken()));
            }
            ready();
        } else if (frame.type() == BindFrame.Type.READY) {
            ready();
        }
    }

    private void accept(BindFrame bind, UcpActiveMessage message) {
        if (!identity.isAddressOfPeer(bind.address())) {
            fail(new UcxException(UcxStatus.REJECTED, "connect", connection.peer(),
                    "the peer has sent BIND of another worker than that of its handshake"));
            return;
        }
        try {
            UcpPeerAddress known = address;
            if (known == null) {
                reserve();
                known = checked(bind);
            }
            ExpectedEndpoint announced = expected;
            if (announced != null && announced.isOther(bind.number())) {
                throw new UcxException(UcxStatus.REJECTED, "connect", connection.peer(),
                        "the peer has sent BIND of another endpoint than it had announced");
            }
            EndpointAllocator.AllocatedEndpoint allocated = bindings.endpoints()
                    .accept(bind, known, message, request, bindings.awaiting(), retryWhenReleased(bind, message));
            if (allocated == null) {
                return;
            }
            if (announced != null) {
                expected = null;
                announced.arrived();
            }
            UcpEndpoint made = attach(allocated);
            if (!message.isAnsweredBy(made)) {
                fail(EndpointAllocator.notPaired(connection.peer()));
                return;
            }
            choice.requireTaken(made, known);
            send(new BindFrame(BindFrame.Type.BOUND, identity.peerToken()));
            if (!client) {
                ready();
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private Runnable retryWhenReleased(BindFrame bind, UcpActiveMessage message) {
        UcpActiveMessage kept = message.keep();
        Runnable retry = () -> received(bind, kept);
        connection.end().listen(() -> bindings.endpoints().cancelWait(retry));
        return retry;
    }

    private UcpEndpoint attach(EndpointAllocator.AllocatedEndpoint allocated) {
        endpoint = allocated.endpoint();
        made.attach(allocated.endpoint(), this);
        EndpointRelease release = new EndpointRelease(allocated, connection::sendOverSocket);
        endpointRelease = release;
        made.carrier().releaseBy(release);
        return allocated.endpoint();
    }

    private void ready() {
        if (!connection.phase().isConnecting()) {
            return;
        }
        release();
        bindings.remove(identity.ownToken(), this);
        if (endpointRelease != null) {
            endpointRelease.paired();
        }
        if (stage == Stage.CANCELLED) {
            // A graceful close, after which both sides have the same number of endpoints: UCX pairs them by number.
            connection.established(null);
            connection.beginClose(CloseMode.FLUSH);
        } else {
            whenReady.run();
            choice.log(address, host.address().getHostAddress());
        }
    }

    private void fail(RuntimeException error) {
        Rejection told = rejection(error);
        if (told != null) {
            // The peer would only see the end of the socket.
            connection.sendOverSocket(told.toFrame());
            connection.registry().handshakeFailed(connection.peer(), new HandshakeFailure(kind(error, told),
                    new Rejection(told.status(), String.valueOf(error.getMessage())), error));
        }
        if (error instanceof TransportRefusedException && endpoint != null) {
            // A close by force could overtake the reason, and a peer that has lost its endpoint would try again.
            connection.rejected();
        } else {
            connection.abandonConnecting();
        }
        failed(error);
    }

    /** Returns what the peer is told of an error, null for nothing. */
    private static @Nullable Rejection rejection(RuntimeException error) {
        return switch (error) {
            case NoTransportException none -> new Rejection(none.explanationForPeer());
            case TransportRefusedException refused -> new Rejection(refused.explanation());
            case UcxException known -> Rejection.ofRefusal(known);
            default -> null;
        };
    }

    private static HandshakeFailure.Kind kind(RuntimeException error, Rejection told) {
        return switch (error) {
            case NoTransportException none -> HandshakeFailure.Kind.MISMATCH;
            case TransportRefusedException refused -> HandshakeFailure.Kind.MISMATCH;
            default -> switch (told.status()) {
                case NO_RESOURCE, EXCEEDS_LIMIT -> HandshakeFailure.Kind.ADMISSION;
                case UNREACHABLE -> HandshakeFailure.Kind.MISMATCH;
                default -> HandshakeFailure.Kind.PROTOCOL;
            };
        };
    }

    /** Gives the connection up. Where an endpoint may exist already, the connection is completed and then closed. */
    void cancel() {
        if (connection.phase().isConnected()) {
            connection.beginClose(CloseMode.FLUSH);
        } else if (stage == Stage.ADDRESSES) {
            connection.abandonConnecting();
        } else if (connection.phase().isConnecting()) {
            stage = Stage.CANCELLED;
            connection.startDeadline(connection.config().handshakeTimeout());
        }
    }

    @Override
    public void received(ControlFrame frame) {
        LOG.debug("[{}] ignored {}: the handshake goes over the socket", connection.name(), frame.type());
    }

    @Override
    public void failed(RuntimeException error) {
        whenFailed.accept(error);
    }
}
