package io.reactorucx.internal.endpoint;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.internal.frame.ControlFrame;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the two sides of a connection agree that nothing of it is under way on their endpoints any more, so that another
 * connection may have them. Each says RELEASE when it uses its endpoint no more, and RELEASED when all that it had
 * under way there has ended. They say so over the socket, whose end without these words tells that the peer, or its
 * endpoint, is gone.
 *
 * <p>Endpoints that are closed instead cost more than the time to make new ones: UCX counts them in 16 bits, and in
 * 1.13 a tcp endpoint that both sides close amid traffic is freed while its socket's events are still being handled. On
 * the engine's thread.
 */
public final class EndpointRelease {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointRelease.class);

    private final EndpointAllocator.Paired paired;
    private final Consumer<ControlFrame> peer;
    private boolean possible;
    private boolean begun;
    private boolean said;
    private boolean heard;

    public EndpointRelease(EndpointAllocator.Paired paired, Consumer<ControlFrame> peer) {
        this.paired = paired;
        this.peer = peer;
    }

    /** The two endpoints have found each other, and what a connection before has left there is gone. */
    public void becomesPossible() {
        possible = true;
    }

    /** The peer cannot say anything any more, or has not in time. */
    void becomesImpossible() {
        possible = false;
        begun = false;
    }

    /** Says that this side is done with the endpoint; answers whether it may be given back at all. */
    boolean begin() {
        UcpEndpoint endpoint = paired.endpoint();
        // Nothing but a close ends the receives of a stream, or what was sent into it and not received.
        boolean clean = endpoint.failure() == 0 && endpoint.stream().receives() == 0 && !endpoint.stream().hasSent();
        if (possible && !begun && clean && paired.reserve()) {
            begun = true;
            peer.accept(ControlFrame.of(ControlFrame.Type.RELEASE));
        }
        return begun;
    }

    /** The peer has nothing under way on its endpoint. */
    void peerReleased() {
        heard = true;
    }

    boolean isUnderWay() {
        return begun && !isAgreed();
    }

    /** Looks how far it is; answers whether both sides are done. */
    boolean isDone() {
        if (begun && !said && paired.endpoint().inFlight() == 0) {
            try {
                paired.endpoint().closeKeys();
                said = true;
                peer.accept(ControlFrame.of(ControlFrame.Type.RELEASED));
            } catch (IllegalStateException e) {
                LOG.debug("A pointer into the memory of {} is in use", paired.endpoint().peer(), e);
            }
        }
        return isAgreed();
    }

    /** Whether both sides have said that they are done. */
    boolean isAgreed() {
        return begun && said && heard;
    }

    /** The connection is gone, and the endpoint is either free or closed. */
    void end() {
        if (isAgreed() && !paired.endpoint().isClosed() && paired.endpoint().failure() == 0) {
            paired.giveBack();
        } else {
            paired.closed();
        }
    }
}
