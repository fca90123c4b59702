package io.reactorucx.transport.endpoint;

import io.reactorucx.core.UcpPeerAddress;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint that a peer makes for a connection. It ends once, with its arrival or its loss.
 *
 * <p>Thread: engine.
 */
public final class ExpectedEndpoint {

    private final ExpectedEndpoints all;
    private final UcpPeerAddress address;
    private final @Nullable EndpointIndex index;
    private boolean ended;

    ExpectedEndpoint(ExpectedEndpoints all, UcpPeerAddress address, @Nullable EndpointIndex index) {
        this.all = all;
        this.address = address;
        this.index = index;
    }

    UcpPeerAddress address() {
        return address;
    }

    /** Returns which endpoint it is, null where the peer has not announced it, or this side has its pair. */
    @Nullable EndpointIndex index() {
        return index;
    }

    /** Returns whether BIND over another endpoint is a violation. */
    public boolean isOther(int number) {
        return index != null && index.number() != number;
    }

    /** BIND has come over it. */
    public void arrived() {
        if (!ended) {
            ended = true;
            all.arrived(this);
        }
    }

    /**
     * The connection has ended without BIND.
     *
     * @param whenGone runs when UCX has nothing any more that it has made for the endpoint
     */
    public void lost(Runnable whenGone) {
        if (!ended) {
            ended = true;
            all.lost(this, whenGone);
        }
    }
}
