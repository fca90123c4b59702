package io.reactorucx.internal.lease;

/** A subscriber that waits for memory, whose name the warning has. Thread: any. */
public interface NamedWaiter {

    /** Returns what waits, with its peer. */
    String waiterName();
}
