package io.reactorucx.transport.carrier;

import io.reactorucx.transport.endpoint.EndpointAllocator;
import io.reactorucx.transport.endpoint.PeerProcess;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agreement of both sides of a connection that no operation is in flight on their endpoints, so that the next
 * connection can use them. Each side sends RELEASE when it posts nothing more, and RELEASED when all its operations
 * have completed. Both frames travel over the control socket; a socket that closes without them means that the peer,
 * or its endpoint, is gone.
 *
 * <p>Closing endpoints costs more than the time to make new ones: UCX counts endpoints in 16 bits, and UCX 1.13 frees a
 * tcp endpoint that both sides close amid traffic while it still handles events of the endpoint's socket.
 *
 * <p>Thread: engine.
 */
public final class EndpointRelease {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointRelease.class);

    private enum State {
        /** The handshake over the endpoint is in progress. */
        UNPAIRED,
        /** The two endpoints are a pair, and messages of an earlier connection have been received. */
        PAIRED,
        /** This side has sent RELEASE; operations may be in flight. */
        RELEASING,
        /** This side has sent RELEASED. */
        RELEASED,
        /** The peer is gone, or has not agreed in time: the endpoint has to be closed. */
        FORBIDDEN
    }

    private final EndpointAllocator.AllocatedEndpoint allocated;
    private final Consumer<ControlFrame> peer;
    private State state = State.UNPAIRED;
    private boolean releasedByPeer;

    public EndpointRelease(EndpointAllocator.AllocatedEndpoint allocated, Consumer<ControlFrame> peer) {
        this.allocated = allocated;
        this.peer = peer;
    }

    /** Notes that the two endpoints are a pair, and that messages of an earlier connection have been received. */
    public void paired() {
        if (state == State.UNPAIRED) {
            state = State.PAIRED;
        }
    }

    /** Rules the release out, unless both sides have agreed. */
    public void forbid() {
        if (!isAgreed()) {
            state = State.FORBIDDEN;
        }
    }

    /** Sends RELEASE, and returns whether the endpoint can be released at all. */
    public boolean begin(FairLimit idle, PeerOrigin origin) {
        boolean clean = allocated.isUsable() && allocated.hasNoStream();
        if (state == State.PAIRED && clean && allocated.reserveIdleSlot(idle, origin)) {
            state = State.RELEASING;
            peer.accept(ControlFrame.of(ControlFrame.Type.RELEASE));
        }
        return state == State.RELEASING || state == State.RELEASED;
    }

    /** Notes that the peer has sent RELEASED. */
    public void peerReleased() {
        releasedByPeer = true;
    }

    /** Sends RELEASED once nothing is in flight, and returns whether both sides have sent it. */
    public boolean advance() {
        if (state == State.RELEASING && allocated.inFlight() == 0) {
            try {
                allocated.closeKeys();
                state = State.RELEASED;
                peer.accept(ControlFrame.of(ControlFrame.Type.RELEASED));
            } catch (IllegalStateException e) {
                LOG.debug("[{}] a direct pointer into the peer's memory is in use", allocated.peer(), e);
            }
        }
        return isAgreed();
    }

    private boolean isAgreed() {
        return state == State.RELEASED && releasedByPeer;
    }

    /** Makes the endpoint idle if both sides agreed, forgets it otherwise: the connection to a process has ended. */
    public void end(PeerProcess process) {
        if (isAgreed() && allocated.isUsable()) {
            allocated.release(process);
        } else {
            allocated.endpointClosed();
        }
    }
}
