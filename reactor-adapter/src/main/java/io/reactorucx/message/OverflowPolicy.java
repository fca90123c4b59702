package io.reactorucx.message;

/**
 * What happens to an active message that arrives while the queue of its receiver is full. Whatever is dropped is
 * counted.
 */
public enum OverflowPolicy {
    /** It is dropped, and the receiving Flux ends with {@code EXCEEDS_LIMIT} after what waited. */
    ERROR(DropReason.OVERFLOW_ERROR),
    /** It is dropped. */
    DROP_NEWEST(DropReason.OVERFLOW_DROP_NEWEST),
    /** Those that have waited longest are dropped until it has room. */
    DROP_OLDEST(DropReason.OVERFLOW_DROP_OLDEST),
    /**
     * The offer of a rendezvous always waits: its data stays with its sender, whose send does not end before it is
     * fetched. Offers have a bound of their own, {@code maxHeldOffers}, past which they are dropped. Other messages are
     * dropped, as with {@link #DROP_NEWEST}.
     */
    HOLD(DropReason.OVERFLOW_HOLD);

    private final DropReason reason;

    OverflowPolicy(DropReason reason) {
        this.reason = reason;
    }

    /** What it drops a message for. */
    public DropReason reason() {
        return reason;
    }
}
