package io.reactorucx.transport.endpoint;

import io.reactorucx.core.shm.ProcessIdentity;
import java.util.OptionalLong;

/**
 * The process of a peer, which the peer has named, and when it was started, which tells it from a later one.
 *
 * <p>Thread: any.
 *
 * @param identity the process
 * @param startedAt when the process was started, empty when it cannot be seen from here
 */
public record PeerProcess(ProcessIdentity identity, OptionalLong startedAt) {

    /** A process of which nothing is known. */
    public static final PeerProcess UNKNOWN = new PeerProcess(ProcessIdentity.UNKNOWN, OptionalLong.empty());

    /** Returns the process as it is now. */
    public static PeerProcess seen(ProcessIdentity identity) {
        return new PeerProcess(identity, identity.startedAt());
    }

    /** Returns whether {@link #hasEnded()} can tell: it is another process than this one, and can be seen from here. */
    public boolean isVisible() {
        return startedAt.isPresent() && !identity.equals(ProcessIdentity.self());
    }

    /** Returns whether the process was visible, and has ended. */
    public boolean hasEnded() {
        return isVisible() && !identity.startedAt().equals(startedAt);
    }
}
