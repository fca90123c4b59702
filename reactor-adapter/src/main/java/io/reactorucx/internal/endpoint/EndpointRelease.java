package io.reactorucx.internal.endpoint;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.internal.frame.ControlFrame;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agreement of the two sides of a connection that nothing of it is in flight on their endpoints any more, so that
 * another connection may have them. Each side sends RELEASE when it uses its endpoint no more, and RELEASED when all
 * its operations there have completed. Both travel over the control socket, whose end without these frames tells that
 * the peer, or its endpoint, is gone.
 *
 * <p>Endpoints that are closed instead cost more than the time to make new ones: UCX counts them in 16 bits, and in
 * 1.13 a tcp endpoint that both sides close amid traffic is freed while its socket's events are still being handled.
 *
 * <p>Thread: engine.
 */
public final class EndpointRelease {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointRelease.class);

    private enum State {
        /** The endpoint has not found the peer's yet. */
        UNPAIRED,
        /** The two endpoints belong to each other, and what an earlier connection left there is gone. */
        PAIRED,
        /** RELEASE is sent; operations are in flight. */
        RELEASING,
        /** RELEASED is sent. */
        RELEASED,
        /** The peer cannot agree any more, or has not in time. */
        FORBIDDEN
    }

    private final EndpointAllocator.Paired paired;
    private final Consumer<ControlFrame> peer;
    private State state = State.UNPAIRED;
    private boolean releasedByPeer;

    public EndpointRelease(EndpointAllocator.Paired paired, Consumer<ControlFrame> peer) {
        this.paired = paired;
        this.peer = peer;
    }

    /** The two endpoints have found each other, and what an earlier connection left there is gone. */
    public void paired() {
        if (state == State.UNPAIRED) {
            state = State.PAIRED;
        }
    }

    /** The peer cannot agree any more, or has not in time. */
    void forbid() {
        if (!isAgreed()) {
            state = State.FORBIDDEN;
        }
    }

    /** Sends RELEASE, and returns whether the endpoint can be released at all. */
    boolean begin() {
        UcpEndpoint endpoint = paired.endpoint();
        // Nothing but a close ends the receives of a stream, or what was sent into it and not received.
        boolean clean = endpoint.failure() == 0 && endpoint.stream().receives() == 0 && !endpoint.stream().hasSent();
        if (state == State.PAIRED && clean && paired.reserve()) {
            state = State.RELEASING;
            peer.accept(ControlFrame.of(ControlFrame.Type.RELEASE));
        }
        return state == State.RELEASING || state == State.RELEASED;
    }

    /** The peer has sent RELEASED. */
    void peerReleased() {
        releasedByPeer = true;
    }

    /** Sends RELEASED once nothing is in flight, and returns whether both sides have sent it. */
    boolean advance() {
        if (state == State.RELEASING && paired.endpoint().inFlight() == 0) {
            try {
                paired.endpoint().closeKeys();
                state = State.RELEASED;
                peer.accept(ControlFrame.of(ControlFrame.Type.RELEASED));
            } catch (IllegalStateException e) {
                LOG.debug("A pointer into the memory of {} is in use", paired.endpoint().peer(), e);
            }
        }
        return isAgreed();
    }

    private boolean isAgreed() {
        return state == State.RELEASED && releasedByPeer;
    }

    /** The connection has ended, and the endpoint is either free or closed. */
    void end() {
        if (isAgreed() && !paired.endpoint().isClosed() && paired.endpoint().failure() == 0) {
            paired.giveBack();
        } else {
            paired.closed();
        }
    }
}
