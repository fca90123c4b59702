package io.reactorucx.core;

/** An event that wakes a sleeping worker ({@code ucp_wakeup_event_types}). */
public enum WakeupEvent {
    /** The end of a remote memory access. */
    RMA(1),
    /** The end of an atomic. */
    AMO(1 << 1),
    /** The end of a tagged send. */
    TAG_SEND(1 << 2),
    /** The end of a tagged receive. */
    TAG_RECV(1 << 3),
    /** The end of any send. */
    TX(1 << 10),
    /** Arrival of anything. */
    RX(1 << 11),
    /** Report each event once, not for as long as it waits: progress until nothing is left before the next sleep. */
    EDGE(1 << 16);

    private final int bit;

    WakeupEvent(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }
}
