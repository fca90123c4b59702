package io.reactorucx.internal.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.endpoint.EndpointAllocator;
import io.reactorucx.internal.endpoint.EndpointRelease;
import io.reactorucx.internal.frame.BindFrame;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.frame.ReservedMessageIds;
import io.reactorucx.internal.handshake.ConnectListener;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one side of a new connection gets its endpoint. The side that begins makes one and sends BIND over it; the other
 * makes the one that belongs to it and answers BOUND. The client takes the connection when it has heard BOUND, or READY
 * where it was the one to answer.
 *
 * <p>On the engine's thread.
 */
final class EndpointBinding implements ConnectListener {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointBinding.class);

    private final ConnectionCore connection;
    private final PendingBindings bindings;
    private final boolean client;
    private final long token;
    private final Consumer<UcpEndpoint> whenReady;
    private final Consumer<RuntimeException> whenFailed;
    private final EndpointAllocator.Purpose purpose;
    private byte @Nullable [] addressOfTurn;
    private @Nullable UcpEndpoint endpoint;
    private @Nullable EndpointRelease release;
    private int number;
    private boolean committed;
    private boolean abandoned;

    EndpointBinding(ConnectionCore connection, PendingBindings bindings, boolean client, long token,
            Consumer<UcpEndpoint> whenReady,
            Consumer<RuntimeException> whenFailed) {
        this.connection = connection;
        this.bindings = bindings;
        this.client = client;
        this.token = token;
        this.whenReady = whenReady;
        this.whenFailed = whenFailed;
        this.purpose = new EndpointAllocator.Purpose(connection.config().errorMode(), connection.peer(),
                connection::endpointFailed,
                connection.config().handshakeTimeout());
    }

    /** Begins, or does something else where that is the peer's part. */
    void meet(byte[] address, Runnable otherwise) {
        try {
            if (bindings.endpoints().begins(address, client)) {
                begin(address);
            } else {
                otherwise.run();
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** From now on the peer's BIND is answered. */
    void expect() {
        if (connection.phase().isConnecting()) {
            committed = client;
            bindings.expect(token, this);
            connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> bindings.forget(token, this));
        }
    }

    private void begin(byte[] address) {
        if (connection.phase().isConnecting() && endpoint == null) {
            committed = true;
            bindings.begin(token, this);
            connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> {
                bindings.forget(token, this);
                turnIsOver();
            });
            bindings.endpoints().inTurn(address, () -> inTurn(address));
        }
    }

    private void inTurn(byte[] address) {
        addressOfTurn = address;
        if (!connection.phase().isConnecting()) {
            turnIsOver();
            return;
        }
        try {
            EndpointAllocator.Paired made = bindings.endpoints().begin(address, purpose);
            take(made);
            number = made.number();
            LOG.debug("[{}] endpoint {} made", connection.peer(), number);
            connection.wireUpStarted();
            // A flush ends when the endpoint is wired up. Nothing may be sent before: UCX 1.13 would choose how by the
            // limits of tcp, and lose what does not fit into those of the shared memory that it uses then.
            if (made.endpoint().flush((status, length, tag) -> wired(status))) {
                wired(0);
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void turnIsOver() {
        byte[] address = addressOfTurn;
        addressOfTurn = null;
        if (address != null) {
            bindings.endpoints().turnIsOver(address);
        }
    }

    private void wired(int status) {
        LOG.debug("[{}] wired up: {}", connection.peer(), status);
        // In error mode NONE an endpoint that has failed can be closed only now.
        connection.wireUpEnded();
        if (status == 0 && connection.phase().isConnecting()) {
            send(new BindFrame(BindFrame.Type.BIND, token, number, connection.registry().address()));
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

    /** What the peer has sent over the new endpoint. */
    void received(BindFrame frame, UcpActiveMessage message) {
        if (!connection.phase().isConnecting()) {
            return;
        }
        LOG.debug("[{}] {}", connection.peer(), frame.type());
        UcpEndpoint made = endpoint;
        if (frame.type() == BindFrame.Type.BIND && made == null) {
            answer(frame, message);
        } else if (made == null || !message.isAnsweredBy(made)) {
            LOG.debug("[{}] {} came over another endpoint", connection.peer(), frame.type());
        } else if (frame.type() == BindFrame.Type.BOUND) {
            turnIsOver();
            if (!client) {
                send(new BindFrame(BindFrame.Type.READY, token));
            }
            ready(made);
        } else if (frame.type() == BindFrame.Type.READY) {
            ready(made);
        }
    }

    private void answer(BindFrame bind, UcpActiveMessage message) {
        try {
            EndpointAllocator.Paired paired = bindings.endpoints()
                    .answer(bind, message, purpose, askAgain(bind, message));
            if (paired == null) {
                return;
            }
            UcpEndpoint made = take(paired);
            if (!message.isAnsweredBy(made)) {
                fail(EndpointAllocator.notPaired(connection.peer()));
                return;
            }
            send(new BindFrame(BindFrame.Type.BOUND, token));
            if (!client) {
                ready(made);
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private Runnable askAgain(BindFrame bind, UcpActiveMessage message) {
        UcpActiveMessage kept = message.keep();
        Runnable again = () -> received(bind, kept);
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> bindings.endpoints().forget(again));
        return again;
    }

    private UcpEndpoint take(EndpointAllocator.Paired paired) {
        endpoint = paired.endpoint();
        connection.attachEndpoint(paired.endpoint(), this);
        release = new EndpointRelease(paired, connection::sendOverSocket);
        connection.releaseEndpointBy(release);
        return paired.endpoint();
    }

    private void ready(UcpEndpoint made) {
        if (!connection.phase().isConnecting()) {
            return;
        }
        if (release != null) {
            release.paired();
        }
        if (abandoned) {
            // In good order all the same: UCX counts endpoints on both sides.
            connection.established(null);
            connection.beginClose(CloseMode.FLUSH);
        } else {
            whenReady.accept(made);
        }
    }

    private void fail(RuntimeException error) {
        connection.abandonConnecting();
        failed(error);
    }

    /**
     * Nobody wants the connection any more; one for which an endpoint has been made is brought to its end in good
     * order.
     */
    void giveUp() {
        if (connection.phase().isConnected()) {
            connection.beginClose(CloseMode.FLUSH);
        } else if (!committed) {
            connection.abandonConnecting();
        } else if (connection.phase().isConnecting()) {
            abandoned = true;
            connection.startDeadline(connection.config().handshakeTimeout());
        }
    }

    @Override
    public void received(ControlFrame frame) {
        LOG.debug("[{}] {} during the handshake over a socket", connection.peer(), frame.type());
    }

    @Override
    public void failed(RuntimeException error) {
        whenFailed.accept(error);
    }
}
