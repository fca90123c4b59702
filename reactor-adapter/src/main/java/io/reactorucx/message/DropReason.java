package io.reactorucx.message;

/** Why an active message was dropped. */
public enum DropReason {
    /** No connection receives its id, or nobody can tell which one it came over. */
    NO_RECEIVER,
    /** It was no message of the protocol that its reserved id stands for. */
    GARBAGE,
    /** It came while the queue was full, which ended the Flux: {@link OverflowPolicy#ERROR}. */
    OVERFLOW_ERROR,
    /** It came while the queue was full: {@link OverflowPolicy#DROP_NEWEST}. */
    OVERFLOW_DROP_NEWEST,
    /** It waited in a queue that was full when another came: {@link OverflowPolicy#DROP_OLDEST}. */
    OVERFLOW_DROP_OLDEST,
    /**
     * It came while as many offers as may were held, or while the queue was full of other messages:
     * {@link OverflowPolicy#HOLD}.
     */
    OVERFLOW_HOLD
}
