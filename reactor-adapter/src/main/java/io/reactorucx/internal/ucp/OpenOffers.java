package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpWorker;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Offers of data that a connection has handed out, each of which is fetched or released before its endpoint closes. On
 * the engine's thread.
 */
final class OpenOffers {

    private final Set<RendezvousOffer> offers = new HashSet<>();

    void add(RendezvousOffer offer) {
        offers.add(offer);
    }

    boolean isEmpty() {
        return offers.isEmpty();
    }

    /** An offer is being fetched. */
    void fetched(RendezvousOffer offer) {
        offers.remove(offer);
    }

    /** Gives an offer up that nobody will fetch. */
    void release(RendezvousOffer offer, UcpWorker worker) {
        if (offers.remove(offer) && !worker.isClosed() && worker.activeMessages().holds(offer.message())) {
            worker.activeMessages().release(offer.message());
        }
    }

    void releaseAll(UcpWorker worker) {
        for (RendezvousOffer offer : List.copyOf(offers)) {
            offer.take();
            release(offer, worker);
        }
    }
}
