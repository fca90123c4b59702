package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.transport.event.FlightEvents;
import org.jspecify.annotations.Nullable;

/**
 * A large message of the peer, which is offered, fetched into a lease, and delivered.
 *
 * <p>Thread: engine.
 */
final class RendezvousReceive implements Completion {

    private final InboundStream input;
    private final MessageMultiplexer mux;
    private final UcpActiveMessage offer;
    /** The event of a recording, if there is one. */
    private final @Nullable Object event = FlightEvents.largeMessage();
    private @Nullable UcxBuffer lease;
    private boolean fetching;
    private boolean fetched;
    private boolean discarded;

    RendezvousReceive(InboundStream input, MessageMultiplexer mux, UcpActiveMessage offer) {
        this.input = input;
        this.mux = mux;
        this.offer = offer;
    }

    long length() {
        return offer.length();
    }

    /** Begins to fetch the data. Returns whether there was memory for it; throws if the engine has no slot. */
    boolean fetch(StreamBuffers buffers) {
        UcxBuffer leased = buffers.tryLease(offer.length());
        if (leased == null) {
            return false;
        }
        try {
            fetched = mux.worker().activeMessages().fetch(offer, leased.segment(),
                    LeasedBuffer.of(leased).registration(), this);
        } catch (RuntimeException e) {
            leased.release();
            throw e;
        }
        fetching = !fetched;
        lease = leased;
        if (fetched) {
            record(true);
            count();
        }
        return true;
    }

    private void record(boolean success) {
        FlightEvents.largeMessageEnded(event, mux.connection().id(), mux.connection().peer(), false, offer.length(),
                success);
    }

    private void count() {
        mux.counters().of(input.stream()).received(0, offer.length());
        mux.protocolCounters().fetchedOffer();
    }

    /** Returns the data, which the caller then owns; null until it has been fetched. */
    @Nullable UcxBuffer lease() {
        return fetched ? lease : null;
    }

    /** Gives up the message, which will not be delivered. */
    void discard() {
        discarded = true;
        UcxBuffer leased = lease;
        if (leased == null) {
            mux.release(offer);
        } else if (!fetching) {
            leased.release();
        }
    }

    @Override
    public void complete(int rawStatus, long length, long senderTag) {
        try (var _ = mux.flushScope()) {
            ended(rawStatus);
        }
    }

    private void ended(int rawStatus) {
        fetching = false;
        record(rawStatus >= 0);
        UcxBuffer leased = lease;
        if (discarded && leased != null) {
            leased.release();
        } else if (rawStatus < 0) {
            input.fetchFailed(new UcxException(rawStatus, "am_recv_data", mux.connection().peer()));
        } else {
            fetched = true;
            count();
            input.drain();
        }
    }
}
