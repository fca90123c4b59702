package io.reactorucx.transport;

/** The treatment of an active message that arrives while the queue of its receiver is full. Drops are counted. */
public enum OverflowPolicy {
    /** The message is dropped, and the receiving Flux fails with {@code EXCEEDS_LIMIT} after the queued messages. */
    ERROR(DropReason.OVERFLOW_ERROR),
    /** The message is dropped. */
    DROP_NEWEST(DropReason.OVERFLOW_DROP_NEWEST),
    /** The oldest messages are dropped until the queue has room. */
    DROP_OLDEST(DropReason.OVERFLOW_DROP_OLDEST),
    /**
     * The offer of a rendezvous is queued: its data stays with the sender, whose send does not complete before the data
     * is fetched. Offers have a bound of their own, {@code maxHeldOffers}, past which they are dropped. Other messages
     * are dropped, as with {@link #DROP_NEWEST}.
     */
    HOLD(DropReason.OVERFLOW_HOLD);

    private final DropReason reason;

    OverflowPolicy(DropReason reason) {
        this.reason = reason;
    }

    /** {@return the reason under which its drops are counted} */
    public DropReason reason() {
        return reason;
    }
}
