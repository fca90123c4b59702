package io.reactorucx.core.internal.worker;

/**
 * The kind of an operation in flight, by what the operation waits for. Each kind has slots of its own: an operation
 * that ends another one, here or at the peer, never waits for the slots of operations that wait for it.
 */
public enum RequestKind {

    /**
     * May wait for the peer's application: an offer, a tagged message, a receive, an access to memory. The limit of
     * a worker is the limit of these.
     */
    GENERAL,
    /** Waits for the peer's worker alone: an eager active message, a flush of an endpoint. */
    PROMPT,
    /** Moves data that the peer offers, and so ends an operation of the peer. */
    FETCH,
    /** A control message. */
    CONTROL,
    /** Closes an endpoint, and so ends all operations of that endpoint. It always finds a slot. */
    CLOSE;

    private static final int MIN_SLOTS = 4096;

    /** Returns how many operations of this kind may be in flight on a worker with a limit. */
    public int limit(int maxInFlight) {
        return switch (this) {
            case GENERAL -> maxInFlight;
            case PROMPT, FETCH -> Math.max(maxInFlight, MIN_SLOTS);
            case CONTROL -> MIN_SLOTS;
            case CLOSE -> Integer.MAX_VALUE;
        };
    }
}
