package io.reactorucx.core.internal.address;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The workers to which one worker has endpoints. UCX tells workers apart by their numbers alone, so two of one number
 * would be taken for each other.
 *
 * <p>Thread: worker.
 */
public final class ConnectedWorkers {

    private final Map<Long, CheckedAddress> byEndpoint = new HashMap<>();
    private final Map<Long, Connected> byWorker = new HashMap<>();

    /** A worker, what its address says, and the number of endpoints. */
    private record Connected(List<TransportAddress> parts, int endpoints) {
    }

    public void add(long endpoint, CheckedAddress peer) {
        byEndpoint.put(endpoint, peer);
        byWorker.merge(peer.worker(), new Connected(peer.parts(), 1),
                (known, one) -> new Connected(known.parts, known.endpoints + 1));
    }

    public void remove(long endpoint) {
        CheckedAddress peer = byEndpoint.remove(endpoint);
        if (peer != null) {
            byWorker.computeIfPresent(peer.worker(), (worker, known) -> known.endpoints == 1 ? null
                    : new Connected(known.parts, known.endpoints - 1));
        }
    }

    /**
     * Refuses an address with the number of a worker to which there are endpoints by another address. One of the two
     * may have fewer parts, as one for peers on other hosts has.
     */
    void check(byte[] address, List<TransportAddress> parts) {
        @Nullable Connected known = byWorker.get(TransportAddress.worker(address));
        if (known != null && !isPartOf(parts, known.parts) && !isPartOf(known.parts, parts)) {
            throw TransportAddress.refused(address, "it has the number of a worker to which there are endpoints by"
                    + " another address");
        }
    }

    private static boolean isPartOf(List<TransportAddress> parts, List<TransportAddress> all) {
        return parts.stream().allMatch(part -> all.stream().anyMatch(part::leadsWhere));
    }
}
