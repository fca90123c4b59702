package io.reactorucx.transport.ring;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ProtocolViolationException;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.PeerInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agreement of both sides of a connection on rings: each offers its own, maps the peer's and says so, or declines.
 * Both come to the same end.
 *
 * <p>Thread: engine.
 */
final class RingProtocol implements ProtocolHandler {

    private static final Logger LOG = LoggerFactory.getLogger(RingProtocol.class);

    private enum State {
        /** One of the sides knows no rings. */
        NONE,
        OFFERED,
        /** This side has mapped the ring of the peer. */
        MAPPED_HERE,
        /** The peer has mapped the ring of this side. */
        MAPPED_THERE,
        AGREED,
        DECLINED
    }

    private final ConnectionCore connection;
    private final RingCarrier carrier;
    private final Carrier endpoint;
    private final RingLinks links;
    private State state = State.NONE;
    private @Nullable RingLink link;
    private boolean awaitsRead;

    /** Creates the protocol of a connection, which sends its own frames over an endpoint. */
    RingProtocol(ConnectionCore connection, RingCarrier carrier, Carrier endpoint, RingLinks links) {
        this.connection = connection;
        this.carrier = carrier;
        this.endpoint = endpoint;
        this.links = links;
    }

    @Override
    public void connected(PeerInfo peer) {
        PeerInfo own = connection.registry().ownInfo(connection.config());
        if (!peer.locality().hasRings() || own.workerId() == peer.workerId()) {
            return;
        }
        if (!endpoint.sharesQueue()) {
            // Nobody expects rings to another host, or over transports that were named.
            state = State.DECLINED;
            send(RingFrame.of(RingFrame.Type.DECLINE));
            return;
        }
        RingLink opened = links.open(peer.workerId(), peer.process());
        if (opened == null) {
            decline();
            return;
        }
        link = opened;
        carrier.begin();
        carrier.join(opened, Objects.requireNonNull(connection.identity()).ownToken(),
                RingFrame.of(RingFrame.Type.WAKE).encode(connection.peerToken()), this::violated);
        state = State.OFFERED;
        send(RingFrame.offer(opened.own(), opened.ofPeer()));
    }

    private void decline() {
        state = State.DECLINED;
        send(RingFrame.of(RingFrame.Type.DECLINE));
        leave();
    }

    private void leave() {
        RingLink left = link;
        link = null;
        carrier.declined();
        if (left != null) {
            links.left(left);
        }
    }

    private void send(RingFrame frame) {
        try {
            connection.carrier().sendUrgent(ReservedMessageIds.RINGS, Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE,
                    frame.encode(connection.peerToken())), (status, length, tag) -> connection.operationEnded());
        } catch (UcxException e) {
            LOG.debug("[{}] {} not sent", connection.name(), frame.type(), e);
            connection.beginClose(CloseMode.FORCE);
        }
    }

    @Override
    public void received(UcpActiveMessage message) {
        RingFrame frame = RingFrame.parse(message);
        if (frame == null) {
            violated(new ProtocolViolationException("a message on id " + message.id() + " that is none of the"
                    + " protocol"));
        } else {
            received(frame);
        }
    }

    void received(RingFrame frame) {
        switch (frame.type()) {
            case OFFER -> offered(frame);
            case MAPPED -> mappedThere();
            case DECLINE -> declined();
            case WAKE -> { } // It has woken this engine, which polls its rings in this round.
        }
    }

    private void offered(RingFrame offer) {
        RingLink own = link;
        if (state == State.NONE) {
            // This side has given the connection up, or takes no rings: the peer's messages wait for an answer.
            decline();
        }
        if (state == State.DECLINED || own == null) {
            return;
        }
        if (state != State.OFFERED && state != State.MAPPED_THERE) {
            violated(new ProtocolViolationException("a second offer of a ring"));
        } else if (links.map(own, offer)) {
            send(RingFrame.of(RingFrame.Type.MAPPED));
            if (state == State.MAPPED_THERE) {
                agree();
            } else {
                state = State.MAPPED_HERE;
            }
        } else {
            decline();
        }
    }

    private void mappedThere() {
        switch (state) {
            case OFFERED -> state = State.MAPPED_THERE;
            case MAPPED_HERE -> agree();
            case NONE, DECLINED -> { }
            case MAPPED_THERE, AGREED -> violated(new ProtocolViolationException("a ring is mapped twice"));
        }
    }

    private void agree() {
        state = State.AGREED;
        LOG.debug("[{}] small messages go over rings", connection.name());
        carrier.agreed();
    }

    private void declined() {
        if (state == State.AGREED) {
            violated(new ProtocolViolationException("a ring is declined that was agreed on"));
        } else if (state != State.NONE && state != State.DECLINED) {
            state = State.DECLINED;
            leave();
        }
    }

    /** The peer has read all that was written for it; only then a graceful close goes on, over the endpoint. */
    @Override
    public boolean isQuiet() {
        RingLink over = link;
        if (over != null && !awaitsRead) {
            awaitsRead = over.awaitRead(this::wasRead);
        }
        return !awaitsRead;
    }

    private void wasRead() {
        awaitsRead = false;
        connection.operationEnded();
    }

    @Override
    public boolean isConsumed() {
        return true;
    }

    private void violated(ProtocolViolationException violation) {
        LOG.debug("[{}] closed by force: {}", connection.name(), violation.getMessage());
        connection.registry().dropped(DropReason.GARBAGE);
        connection.beginClose(CloseMode.FORCE);
    }
}
