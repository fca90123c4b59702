package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.transport.buffer.LeakReaper;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.connection.ConnectionCore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Data that a message offers, until it is fetched or released. The connection refers to the offer, so the offer must
 * not refer to the message: an unreachable message would never be detected.
 */
final class RendezvousOffer {

    private final ConnectionCore connection;
    private final OpenOffers offers;
    private final LeakReporter leaks;
    private final UcpActiveMessage message;
    private final int id;
    private final AtomicBoolean taken = new AtomicBoolean();
    private @Nullable WatchedMessage watched;

    RendezvousOffer(ConnectionCore connection, OpenOffers offers, LeakReporter leaks, UcpActiveMessage message,
            int id) {
        this.connection = connection;
        this.offers = offers;
        this.leaks = leaks;
        this.message = message;
        this.id = id;
    }

    /** Detects that the message has become unreachable. */
    void watch(ActiveMessage received, @Nullable LeakRecord place) {
        watched = new WatchedMessage(received, this, place);
    }

    private static final class WatchedMessage extends LeakReaper.Watched<ActiveMessage> {

        private final RendezvousOffer offer;
        private final @Nullable LeakRecord place;

        WatchedMessage(ActiveMessage received, RendezvousOffer offer, @Nullable LeakRecord place) {
            super(received);
            this.offer = offer;
            this.place = place;
        }

        @Override
        public void unreachable() {
            if (offer.discard()) {
                offer.leaks.messageLeaked(offer.connection.peer(), offer.id, offer.message.length(), place);
            }
        }
    }

    /** Claims the data for a fetch or for a release, once. */
    boolean take() {
        return taken.compareAndSet(false, true);
    }

    /** Opens the offer again, after a fetch that could not begin. */
    void giveBack() {
        taken.set(false);
    }

    boolean isTaken() {
        return taken.get();
    }

    /** Releases the data on the engine's thread. Returns whether it was not claimed before. Any thread. */
    boolean discard() {
        boolean open = take();
        if (open) {
            connection.executeUrgent(worker -> {
                offers.release(this, worker);
                connection.operationEnded();
            });
        }
        return open;
    }

    /** The open offers of the connection. */
    OpenOffers offers() {
        return offers;
    }

    UcpActiveMessage message() {
        return message;
    }
}
