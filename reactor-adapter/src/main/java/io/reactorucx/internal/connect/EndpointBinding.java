package io.reactorucx.internal.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.endpoint.EndpointAllocator;
import io.reactorucx.internal.endpoint.EndpointRelease;
import io.reactorucx.internal.endpoint.NoTransportException;
import io.reactorucx.internal.frame.BindFrame;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.frame.ReservedMessageIds;
import io.reactorucx.internal.handshake.ConnectListener;
import io.reactorucx.internal.handshake.ConnectionIdentity;
import io.reactorucx.internal.handshake.HandshakeFailure;
import io.reactorucx.internal.handshake.Rejection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
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

    private final ConnectionCore connection;
    private final PendingBindings bindings;
    private final boolean client;
    private final ConnectionIdentity identity;
    private final byte[] ownAddress;
    private final Consumer<UcpEndpoint> whenReady;
    private final Consumer<RuntimeException> whenFailed;
    private final EndpointAllocator.EndpointRequest request;
    private Stage stage = Stage.ADDRESSES;
    private byte @Nullable [] selfConnectAddress;
    private @Nullable UcpEndpoint endpoint;
    private @Nullable EndpointRelease release;
    private int number;

    EndpointBinding(ConnectionCore connection, PendingBindings bindings, boolean client,
            ConnectionIdentity identity, byte[] ownAddress, Consumer<UcpEndpoint> whenReady,
            Consumer<RuntimeException> whenFailed) {
        this.connection = connection;
        this.bindings = bindings;
        this.client = client;
        this.identity = identity;
        this.ownAddress = ownAddress;
        this.whenReady = whenReady;
        this.whenFailed = whenFailed;
        this.request = new EndpointAllocator.EndpointRequest(connection.config().errorMode(), connection.peer(),
                connection::endpointFailed, connection.config().handshakeTimeout());
    }

    /** Initiates if that is this side's part, and runs the action if it is the peer's. */
    void start(byte[] address, Runnable whenPeerInitiates) {
        try {
            bindings.endpoints().checkAddress(address, connection.peer());
            if (bindings.endpoints().isInitiator(address, client)) {
                initiate(address);
            } else {
                whenPeerInitiates.run();
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** Accepts the peer's BIND from now on. */
    void awaitBind() {
        if (connection.phase().isConnecting()) {
            if (client) {
                stage = Stage.ENDPOINTS;
            }
            long token = identity.ownToken();
            bindings.addAccepting(token, this);
            connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> bindings.remove(token, this));
        }
    }

    private void initiate(byte[] address) {
        if (connection.phase().isConnecting() && endpoint == null) {
            stage = Stage.ENDPOINTS;
            long token = identity.ownToken();
            bindings.addInitiating(token, this);
            connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> {
                bindings.remove(token, this);
                releaseSelfConnectLock();
            });
            bindings.endpoints().lockSelfConnect(address, () -> connect(address));
        }
    }

    private void connect(byte[] address) {
        selfConnectAddress = address;
        if (!connection.phase().isConnecting()) {
            releaseSelfConnectLock();
            return;
        }
        try {
            EndpointAllocator.AllocatedEndpoint allocated = bindings.endpoints().initiate(address, request);
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
        byte[] address = selfConnectAddress;
        selfConnectAddress = null;
        if (address != null) {
            bindings.endpoints().releaseSelfConnectLock(address);
        }
    }

    private void wireUpEnded(int status) {
        LOG.debug("[{}] wire-up ended with status {}", connection.name(), status);
        // In error mode NONE a failed endpoint cannot be closed before this.
        connection.wireUpEnded();
        if (status == 0 && connection.phase().isConnecting()) {
            send(new BindFrame(BindFrame.Type.BIND, identity.peerToken(), number, ownAddress));
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
            ready(made);
        } else if (frame.type() == BindFrame.Type.READY) {
            ready(made);
        }
    }

    private void accept(BindFrame bind, UcpActiveMessage message) {
        if (!identity.isAddressOfPeer(bind.address())) {
            fail(new UcxException(UcxStatus.REJECTED, "connect", connection.peer(),
                    "the peer has sent BIND of another worker than that of its handshake"));
            return;
        }
        try {
            EndpointAllocator.AllocatedEndpoint allocated = bindings.endpoints()
                    .accept(bind, message, request, retryWhenReleased(bind, message));
            if (allocated == null) {
                return;
            }
            UcpEndpoint made = attach(allocated);
            if (!message.isAnsweredBy(made)) {
                fail(EndpointAllocator.notPaired(connection.peer()));
                return;
            }
            send(new BindFrame(BindFrame.Type.BOUND, identity.peerToken()));
            if (!client) {
                ready(made);
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private Runnable retryWhenReleased(BindFrame bind, UcpActiveMessage message) {
        UcpActiveMessage kept = message.keep();
        Runnable retry = () -> received(bind, kept);
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> bindings.endpoints().cancelWait(retry));
        return retry;
    }

    private UcpEndpoint attach(EndpointAllocator.AllocatedEndpoint allocated) {
        endpoint = allocated.endpoint();
        connection.attachEndpoint(allocated.endpoint(), this);
        release = new EndpointRelease(allocated, connection::sendOverSocket);
        connection.closer().releaseBy(release);
        return allocated.endpoint();
    }

    private void ready(UcpEndpoint made) {
        if (!connection.phase().isConnecting()) {
            return;
        }
        if (release != null) {
            release.paired();
        }
        if (stage == Stage.CANCELLED) {
            // A graceful close, after which both sides have the same number of endpoints: UCX pairs them by number.
            connection.established(null);
            connection.beginClose(CloseMode.FLUSH);
        } else {
            whenReady.accept(made);
        }
    }

    private void fail(RuntimeException error) {
        if (error instanceof NoTransportException none) {
            // The peer would only see the end of the socket.
            connection.sendOverSocket(new Rejection(none.explanationForPeer()).toFrame());
            connection.registry().handshakeFailed(connection.peer(), new HandshakeFailure(
                    HandshakeFailure.Kind.MISMATCH, new Rejection(String.valueOf(none.getMessage())), none));
        }
        connection.abandonConnecting();
        failed(error);
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
