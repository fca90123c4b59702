package io.reactorucx.transport.carrier;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Rejection;
import org.jspecify.annotations.Nullable;

/**
 * The place of one connection's endpoint among those that UCX may keep although their connections have ended: from
 * before it is made until it is wired up, and from a close by force until UCX has closed it. An endpoint that is not
 * wired up cannot be closed, so the place is taken before there is one.
 *
 * <p>Thread: engine.
 */
final class EndpointSlot {

    private final FairLimit limit;
    private @Nullable PeerOrigin holder;

    EndpointSlot(FairLimit limit) {
        this.limit = limit;
    }

    /** Takes the place for a peer, and returns why there is none, or null when there is. */
    @Nullable Rejection reserve(PeerOrigin peer) {
        if (holder != null) {
            return null;
        }
        return switch (limit.tryAcquire(peer)) {
            case ACQUIRED -> {
                holder = peer;
                yield null;
            }
            case LIMIT_REACHED -> new Rejection(UcxStatus.NO_RESOURCE, limit.count() + " endpoints of ended"
                    + " connections wait for peers that do not respond, and maxParkedEndpoints is " + limit.limit());
            case SHARE_REACHED -> new Rejection(UcxStatus.NO_RESOURCE, limit.count(peer) + " endpoints of ended"
                    + " connections wait for " + peer + ", which does not respond, and its share of maxParkedEndpoints "
                    + limit.limit() + " is " + limit.share());
        };
    }

    /** Takes the place anyway: the endpoint is there, and UCX may keep it. */
    void park(PeerOrigin peer) {
        if (holder == null) {
            holder = peer;
            limit.acquireAnyway(peer);
        }
    }

    /** Gives the place back. */
    void release() {
        PeerOrigin held = holder;
        if (held != null) {
            holder = null;
            limit.release(held);
        }
    }
}
