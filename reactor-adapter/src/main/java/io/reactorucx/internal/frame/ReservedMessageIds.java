package io.reactorucx.internal.frame;

import io.reactorucx.core.UcpActiveMessages;

/** Ids of active messages that the protocol between framework peers keeps for itself. They are part of the protocol. */
public final class ReservedMessageIds {

    /** The handshake, the end of a connection, and signs of life. */
    public static final int CONTROL = 1023;
    /** Flow-controlled messages. */
    public static final int MESSAGES = 1022;
    /** Remote memory that its owner serves. */
    public static final int MEMORY = 1021;
    /** The endpoints of new connections that find each other. */
    public static final int PAIRING = 1020;

    private static final int FIRST = 1020;
    private static final int LAST = CONTROL;

    private ReservedMessageIds() {
    }

    /** Refuses an id that is none, or not the user's. */
    public static void checkFree(int id) {
        if (id < 0 || id > UcpActiveMessages.MAX_ID || (id >= FIRST && id <= LAST)) {
            throw new IllegalArgumentException("id " + id + ": must be in 0.." + UcpActiveMessages.MAX_ID
                    + " and not in "
                    + FIRST + ".." + LAST
                    + ", which are reserved");
        }
    }
}
