package io.reactorucx;

/** What happens to an active message that arrives while the queue of its receiver is full. */
public enum OverflowPolicy {
    /** The receiving Flux ends with {@code EXCEEDS_LIMIT}. */
    ERROR,
    /** The message is dropped and counted. */
    DROP_NEWEST
}
