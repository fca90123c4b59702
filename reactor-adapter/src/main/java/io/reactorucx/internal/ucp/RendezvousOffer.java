package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.internal.buffer.LeakReaper;
import io.reactorucx.internal.buffer.LeakRecord;
import io.reactorucx.message.ActiveMessage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Data that a message offers, until it is fetched or released. Its connection keeps it, and must not keep the message
 * along with it.
 */
public final class RendezvousOffer {

    private final ActiveMessageProtocol protocol;
    private final UcpActiveMessage message;
    private final AtomicBoolean taken = new AtomicBoolean();
    private @Nullable WatchedMessage watched;

    public RendezvousOffer(ActiveMessageProtocol protocol, UcpActiveMessage message) {
        this.protocol = protocol;
        this.message = message;
    }

    /** Notices when nobody can reach the message any more. */
    public void watch(ActiveMessage received, @Nullable LeakRecord subscribed) {
        watched = new WatchedMessage(received, this, subscribed);
    }

    private static final class WatchedMessage extends LeakReaper.Watched<ActiveMessage> {

        private final RendezvousOffer offer;
        private final @Nullable LeakRecord subscribed;

        WatchedMessage(ActiveMessage received, RendezvousOffer offer, @Nullable LeakRecord subscribed) {
            super(received);
            this.offer = offer;
            this.subscribed = subscribed;
        }

        @Override
        public void unreachable() {
            if (offer.discard()) {
                offer.protocol.leaks().ofOffer(offer, subscribed);
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

    public boolean isTaken() {
        return taken.get();
    }

    /** Gives the data up on the engine's thread; answers whether nobody had claimed it. */
    public boolean discard() {
        boolean open = take();
        if (open) {
            protocol.connection().execute(worker -> protocol.release(this));
        }
        return open;
    }

    /** The offers that this one is open among. */
    OpenOffers offers() {
        return protocol.offers();
    }

    public UcpActiveMessage message() {
        return message;
    }

    public String peer() {
        return protocol.connection().peer();
    }
}
