package io.reactorucx;

import io.reactorucx.core.UcpActiveMessage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Data that a message offers, until it is fetched or released. Its connection keeps it, and must not keep the message along with it. */
final class Offer {

    private final ConnectionCore connection;
    private final UcpActiveMessage message;
    private final AtomicBoolean taken = new AtomicBoolean();
    private @Nullable WatchedMessage watched;

    Offer(ConnectionCore connection, UcpActiveMessage message) {
        this.connection = connection;
        this.message = message;
    }

    /** Notices when nobody can reach the message any more. */
    void watch(ActiveMessage received, @Nullable LeakPlace subscribed) {
        watched = new WatchedMessage(received, this, subscribed);
    }

    private static final class WatchedMessage extends LeakReaper.Watched<ActiveMessage> {

        private final Offer offer;
        private final @Nullable LeakPlace subscribed;

        WatchedMessage(ActiveMessage received, Offer offer, @Nullable LeakPlace subscribed) {
            super(received);
            this.offer = offer;
            this.subscribed = subscribed;
        }

        @Override
        void unreachable() {
            if (offer.discard()) {
                offer.connection.registry().leaks().ofOffer(offer, subscribed);
            }
        }
    }

    /** Claims the data for a fetch or for a release, once. */
    boolean take() {
        return taken.compareAndSet(false, true);
    }

    /** A fetch did not come about: it is still open. */
    void giveBack() {
        taken.set(false);
    }

    boolean isTaken() {
        return taken.get();
    }

    /** Gives the data up on the engine's thread; answers whether nobody had claimed it. */
    boolean discard() {
        boolean open = take();
        if (open) {
            connection.execute(worker -> connection.release(this));
        }
        return open;
    }

    UcpActiveMessage message() {
        return message;
    }

    String peer() {
        return connection.peer();
    }
}
