package io.reactorucx;

import io.reactorucx.core.UcpWorker;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Offers of data that a connection has handed out, each of which is fetched or released before its endpoint closes. On the engine's thread. */
final class OpenOffers {

    private final Set<Offer> offers = new HashSet<>();

    void add(Offer offer) {
        offers.add(offer);
    }

    boolean isEmpty() {
        return offers.isEmpty();
    }

    /** An offer is being fetched. */
    void fetched(Offer offer) {
        offers.remove(offer);
    }

    /** Gives an offer up that nobody will fetch. */
    void release(Offer offer, UcpWorker worker) {
        if (offers.remove(offer) && !worker.isClosed() && worker.holds(offer.message())) {
            worker.release(offer.message());
        }
    }

    void releaseAll(UcpWorker worker) {
        for (Offer offer : List.copyOf(offers)) {
            offer.take();
            release(offer, worker);
        }
    }
}
