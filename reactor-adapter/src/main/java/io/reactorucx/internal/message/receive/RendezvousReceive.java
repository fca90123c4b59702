package io.reactorucx.internal.message.receive;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Completion;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.lease.LeasedBuffer;
import io.reactorucx.internal.message.context.LargeOffer;
import io.reactorucx.internal.message.context.StreamBuffers;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.transport.event.FlightEvents;
import org.jspecify.annotations.Nullable;

/**
 * A large message of the peer, which is offered, fetched into a lease, and delivered.
 *
 * <p>Thread: engine.
 */
final class RendezvousReceive implements Completion {

    private enum State {
        /** The data is with the peer. */
        OFFERED,
        /** UCX writes into the lease. */
        FETCHING,
        /** UCX writes into the lease, which is released then. */
        DISCARDED,
        /** UCX could not get the data. */
        FAILED,
        FETCHED
    }

    private final InboundStream input;
    private final StreamContext context;
    private final LargeOffer offer;
    /** The event of a recording, if there is one. */
    private final @Nullable Object event = FlightEvents.largeMessage();
    private @Nullable UcxBuffer lease;
    private State state = State.OFFERED;

    RendezvousReceive(InboundStream input, StreamContext context, LargeOffer offer) {
        this.input = input;
        this.context = context;
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
        boolean fetched;
        try {
            fetched = offer.fetch(leased.segment(), LeasedBuffer.of(leased).registration(), this);
        } catch (RuntimeException e) {
            leased.release();
            throw e;
        }
        lease = leased;
        state = fetched ? State.FETCHED : State.FETCHING;
        if (fetched) {
            record(true);
            count();
        }
        return true;
    }

    private void record(boolean success) {
        FlightEvents.largeMessageEnded(event, context.connection().id(), context.connection().peer(), false,
                offer.length(), success);
    }

    private void count() {
        context.counters().of(input.streamId()).received(0, offer.length());
        context.offers().fetchedOffer();
    }

    /** Returns the data, which the caller then owns; null until it has been fetched. */
    @Nullable UcxBuffer lease() {
        return state == State.FETCHED ? lease : null;
    }

    /** Gives up the message, which will not be delivered. */
    void discard() {
        switch (state) {
            case OFFERED -> {
                state = State.DISCARDED;
                context.release(offer);
            }
            case FETCHING -> state = State.DISCARDED;
            case FETCHED, FAILED -> release();
            case DISCARDED -> { }
        }
    }

    private void release() {
        UcxBuffer leased = lease;
        if (leased != null) {
            leased.release();
        }
    }

    @Override
    public void complete(int rawStatus, long length, long senderTag) {
        try (var _ = context.flushScope()) {
            ended(rawStatus);
        }
    }

    private void ended(int rawStatus) {
        record(rawStatus >= 0);
        if (state == State.DISCARDED) {
            release();
        } else if (rawStatus < 0) {
            state = State.FAILED;
            input.fetchFailed(new UcxException(rawStatus, "am_recv_data", context.connection().peer()));
        } else {
            state = State.FETCHED;
            count();
            input.drain();
        }
    }
}
