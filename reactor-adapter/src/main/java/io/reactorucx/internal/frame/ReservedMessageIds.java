package io.reactorucx.internal.frame;

import io.reactorucx.core.UcpActiveMessages;

/** The ids of active messages that are reserved for the protocols between framework peers. */
public final class ReservedMessageIds {

    /** Control frames: the handshake, the end of a connection, heartbeats. */
    public static final int CONTROL = 1023;
    /** Flow-controlled messages. */
    public static final int MESSAGES = 1022;
    /** Requests for exported memory, and replies. */
    public static final int MEMORY = 1021;
    /** The binding of new endpoints to each other. */
    public static final int PAIRING = 1020;

    private static final int FIRST = 1020;
    private static final int LAST = CONTROL;

    private ReservedMessageIds() {
    }

    /** Throws for an id that is out of range or reserved. */
    public static void checkFree(int id) {
        if (id < 0 || id > UcpActiveMessages.MAX_ID || (id >= FIRST && id <= LAST)) {
            throw new IllegalArgumentException("id " + id + ": must be in 0.." + UcpActiveMessages.MAX_ID
                    + " and not in " + FIRST + ".." + LAST + ", which are reserved");
        }
    }
}
