package io.reactorucx.transport.handshake;

/**
 * The limits of some resources, of which each client takes at most its share.
 *
 * <p>Thread: any.
 *
 * @param idleEndpoints endpoints of all engines that are idle between two connections, or are about to be
 * @param parkedEndpoints endpoints of all engines that are wired up for a connection, or are parked: closed by force,
 *     and kept until UCX can close them
 * @param unboundEndpoints endpoints of clients whose handshake is done, and which are not bound to a connection yet
 * @param mappedBytes memory of peers that is mapped, and of rings for them
 * @param ringBytes the size of a ring, 0 for no rings
 * @param clientShare the fraction of a limit that one client can have
 */
public record ResourceLimits(FairLimit idleEndpoints, FairLimit parkedEndpoints, FairLimit unboundEndpoints,
        FairLimit mappedBytes, int ringBytes, double clientShare) {

    /** Creates limits, of which each client can have a fraction, and no rings. */
    public static ResourceLimits of(int idleEndpoints, int parkedEndpoints, int unboundEndpoints, long mappedBytes,
            double share) {
        return new ResourceLimits(limit(idleEndpoints, share), limit(parkedEndpoints, share),
                limit(unboundEndpoints, share), limit(mappedBytes, share), 0, share);
    }

    /** Returns the same limits with rings of a size. */
    public ResourceLimits withRings(int bytes) {
        return new ResourceLimits(idleEndpoints, parkedEndpoints, unboundEndpoints, mappedBytes, bytes, clientShare);
    }

    /** Returns a limit of which each client can have its share. */
    public FairLimit shared(long limit) {
        return limit(limit, clientShare);
    }

    private static FairLimit limit(long limit, double share) {
        return new FairLimit(limit, FairLimit.share(limit, share));
    }

    /** Checks the fraction of the limits that one client can have. */
    public static double checkShare(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("clientShare " + share + ": must be more than 0 and at most 1");
        }
        return share;
    }
}
