package io.reactorucx.internal.endpoint;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.engine.ProgressEngine;
import java.util.List;

/**
 * Limits the endpoints of all engines that are parked: closed by force, and kept until UCX can close them. At the limit
 * no new endpoint is made.
 *
 * <p>Thread: any.
 */
public final class ParkedEndpointLimit {

    private final int limit;
    private final List<ProgressEngine> engines;

    public ParkedEndpointLimit(int limit, List<ProgressEngine> engines) {
        this.limit = limit;
        this.engines = List.copyOf(engines);
    }

    public int limit() {
        return limit;
    }

    public int count() {
        return (int) engines.stream().mapToLong(engine -> engine.counters().parkedEndpoints()).sum();
    }

    /** Throws while no new endpoint may be made. */
    public void requireRoom(String peer) {
        int parked = count();
        if (parked >= limit) {
            throw new UcxException(UcxStatus.NO_RESOURCE, "connect", peer, parked + " endpoints of ended connections"
                    + " wait for peers that do not respond, and maxParkedEndpoints is " + limit);
        }
    }
}
