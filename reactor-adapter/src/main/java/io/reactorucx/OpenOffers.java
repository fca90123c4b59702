package io.reactorucx;

import io.reactorucx.core.UcpWorker;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Offers of data that a connection has handed out, each of which is fetched or released before its endpoint closes. On the engine's thread. */
final class OpenOffers {

    private final Set<ActiveMessage> offers = new HashSet<>();

    void add(ActiveMessage message) {
        offers.add(message);
    }

    boolean isEmpty() {
        return offers.isEmpty();
    }

    /** An offer is being fetched. */
    void fetched(ActiveMessage message) {
        offers.remove(message);
    }

    /** Gives an offer up that nobody will fetch. */
    void release(ActiveMessage message, UcpWorker worker) {
        if (offers.remove(message) && !worker.isClosed() && worker.holds(message.message())) {
            worker.release(message.message());
        }
    }

    void releaseAll(UcpWorker worker) {
        for (ActiveMessage offer : List.copyOf(offers)) {
            offer.take();
            release(offer, worker);
        }
    }
}
