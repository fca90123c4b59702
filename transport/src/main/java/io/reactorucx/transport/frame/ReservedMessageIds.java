package io.reactorucx.transport.frame;

import io.reactorucx.core.UcpActiveMessages;
import java.util.List;

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
    /** Active messages of the application between framework peers, whose own id is in the header. */
    public static final int APPLICATION = 1019;

    /** Large messages whose data the peer reads from mapped memory, and what belongs to them. */
    public static final int MAPPED = 1018;
    /** Byte streams of Netty channels. */
    public static final int CHANNELS = 1017;
    /** Rings in memory, which carry the messages of the other ids. */
    public static final int RINGS = 1016;
    /** Records with the encrypted messages of the other ids. */
    public static final int RECORDS = 1015;

    private static final List<Integer> OF_PROTOCOLS = List.of(MESSAGES, MEMORY, APPLICATION, MAPPED, CHANNELS,
            RINGS, RECORDS);
    /** The lowest reserved id. */
    public static final int FIRST = RECORDS;
    /** The highest reserved id. */
    public static final int LAST = CONTROL;

    private ReservedMessageIds() {
    }

    /** Returns the ids of the protocols that run over a connection, of which an engine may have a part. */
    public static List<Integer> ofProtocols() {
        return OF_PROTOCOLS;
    }

    /** Returns whether a ring may carry an id: all that follow a connection's handshake, but its own. */
    public static boolean isCarriedByRings(int id) {
        return id == RECORDS || isEncrypted(id) && !isUrgent(id);
    }

    /** Returns whether a record may carry an id: all that follow a connection's handshake. */
    public static boolean isEncrypted(int id) {
        return id >= RINGS && id <= LAST && id != PAIRING;
    }

    /** Returns whether such a message goes over the endpoint at any time, past those that wait for room. */
    public static boolean isUrgent(int id) {
        return id == CONTROL || id == RINGS;
    }

    /** Returns whether applications may use an id. */
    public static boolean isFree(int id) {
        return id >= 0 && id <= UcpActiveMessages.MAX_ID && (id < FIRST || id > LAST);
    }

    /** Returns the ids that applications may not use, as text: {@code first..last}. */
    public static String range() {
        return FIRST + ".." + LAST;
    }

    /** Throws for an id that is out of range or reserved. */
    public static void checkFree(int id) {
        if (!isFree(id)) {
            throw new IllegalArgumentException("id " + id + ": must be in 0.." + UcpActiveMessages.MAX_ID
                    + " and not in " + range() + ", which are reserved");
        }
    }
}
