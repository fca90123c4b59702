package io.reactorucx.internal.message;

import io.reactorucx.internal.frame.ProtocolViolationException;
import org.jspecify.annotations.Nullable;

/**
 * The order of the active messages of both directions of one connection, which UCX does not promise between small and
 * large ones, and how many of them may be under way: neither side has to keep more. On the engine's thread.
 */
public final class SequenceWindow {

    /** A power of two. */
    public static final int WINDOW = 1024;
    /** The rest of the window is for those that do nothing but acknowledge. */
    private static final int MOST_UNDER_WAY = WINDOW / 2;
    private static final int MOST_UNACKNOWLEDGED = WINDOW / 8;

    private @Nullable Object @Nullable [] waiting;
    private int expected;
    private int told;
    private boolean urgent;
    private int next;
    private int acknowledged;

    /** Takes a message, in whatever form; answers whether its turn is now. One that comes too early waits here. */
    public boolean arrived(Object message, int sequence) {
        int ahead = sequence - expected;
        if (ahead == 0) {
            return true;
        }
        if (ahead < 0 || ahead >= WINDOW) {
            throw new ProtocolViolationException("number " + sequence + " when " + expected + " is next");
        }
        @Nullable Object[] early = waiting;
        if (early == null) {
            early = new Object[WINDOW];
            waiting = early;
        }
        int place = sequence & WINDOW - 1;
        if (early[place] != null) {
            throw new ProtocolViolationException("number " + sequence + " twice");
        }
        early[place] = message;
        return false;
    }

    /** The turn goes on; answers the next message if it has come already. */
    public @Nullable Object advance() {
        expected++;
        return poll(expected);
    }

    private @Nullable Object poll(int sequence) {
        @Nullable Object[] early = waiting;
        if (early == null) {
            return null;
        }
        int place = sequence & WINDOW - 1;
        Object message = early[place];
        early[place] = null;
        return message;
    }

    /** Any that came too early, for when their turn will never come. */
    @Nullable Object pollAny() {
        for (int i = 0; i < WINDOW; i++) {
            Object message = poll(i);
            if (message != null) {
                return message;
            }
        }
        return null;
    }

    /** The peer says how many have arrived there. */
    public void acknowledged(int count) {
        int more = count - acknowledged;
        if (more < 0 || more > next - acknowledged) {
            throw new ProtocolViolationException(count + " acknowledged of " + next);
        }
        acknowledged = count;
    }

    /** Whether the peer has got the message of this number. */
    public boolean hasArrived(int sequence) {
        return acknowledged - sequence > 0;
    }

    public boolean admits() {
        return next - acknowledged < MOST_UNDER_WAY;
    }

    /** Whether the peer has to hear what has arrived. */
    public boolean isAcknowledgementDue() {
        return urgent || expected - told >= MOST_UNACKNOWLEDGED;
    }

    void acknowledgeAtOnce() {
        urgent = true;
    }

    /** What to tell the peer along with something that goes there now. */
    public int acknowledge() {
        urgent = false;
        told = expected;
        return expected;
    }

    /** The number of what goes now. */
    public int take() {
        return next++;
    }

    /** It did not go. */
    void giveBack() {
        next--;
        // With it went an acknowledgement.
        urgent = true;
    }
}
