package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.internal.counter.ProtocolCounters;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The offers of data that a connection has delivered, each fetched or released before its endpoint closes.
 *
 * <p>Thread: engine.
 */
final class OpenOffers {

    private final Set<RendezvousOffer> offers = new HashSet<>();
    private final ProtocolCounters counts;

    OpenOffers(ProtocolCounters counts) {
        this.counts = counts;
    }

    void add(RendezvousOffer offer) {
        offers.add(offer);
    }

    boolean isEmpty() {
        return offers.isEmpty();
    }

    /** Removes an offer whose data is being fetched. */
    void fetched(RendezvousOffer offer) {
        offers.remove(offer);
    }

    /** Releases an offer that will not be fetched. */
    void release(RendezvousOffer offer, UcpWorker worker) {
        if (offers.remove(offer) && !worker.isClosed() && worker.activeMessages().holds(offer.message())) {
            counts.droppedOffer();
            worker.activeMessages().release(offer.message());
        }
    }

    /** Returns the offers that are neither fetched nor released. */
    List<RendezvousOffer> all() {
        return List.copyOf(offers);
    }
}
