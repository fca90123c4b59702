package io.reactorucx.internal.message;

import io.reactorucx.internal.frame.ProtocolViolationException;
import org.jspecify.annotations.Nullable;

/**
 * The sequence numbers of a connection's active messages, in both directions: UCX does not keep the order between small
 * and large ones. The window limits how many are in flight, and so how many the receiving side has to keep.
 *
 * <p>Thread: engine.
 */
public final class SequenceWindow {

    /** A power of two. */
    public static final int WINDOW = 1024;
    /** The rest of the window is for batches that only acknowledge. */
    private static final int MAX_IN_FLIGHT = WINDOW / 2;
    private static final int MAX_UNACKNOWLEDGED = WINDOW / 8;

    private @Nullable Object @Nullable [] early;
    private int expected;
    private int acknowledgedToPeer;
    private boolean acknowledgementUrgent;
    private int next;
    private int acknowledged;

    /** Returns whether a message is the next in order. One that comes too early is kept until its turn. */
    public boolean arrived(Object message, int sequence) {
        int ahead = sequence - expected;
        if (ahead == 0) {
            return true;
        }
        if (ahead < 0 || ahead >= WINDOW) {
            throw new ProtocolViolationException("number " + sequence + " when " + expected + " is next");
        }
        @Nullable Object[] kept = early;
        if (kept == null) {
            kept = new Object[WINDOW];
            early = kept;
        }
        int place = sequence & WINDOW - 1;
        if (kept[place] != null) {
            throw new ProtocolViolationException("number " + sequence + " twice");
        }
        kept[place] = message;
        return false;
    }

    /** Advances to the next message, and returns it if it has come too early. */
    public @Nullable Object advance() {
        expected++;
        return poll(expected);
    }

    private @Nullable Object poll(int sequence) {
        @Nullable Object[] kept = early;
        if (kept == null) {
            return null;
        }
        int place = sequence & WINDOW - 1;
        Object message = kept[place];
        kept[place] = null;
        return message;
    }

    /** Returns any message that came too early, to release it: its turn will not come. */
    @Nullable Object pollAny() {
        for (int i = 0; i < WINDOW; i++) {
            Object message = poll(i);
            if (message != null) {
                return message;
            }
        }
        return null;
    }

    /** The peer has received the first {@code count} messages. */
    public void acknowledged(int count) {
        int more = count - acknowledged;
        if (more < 0 || more > next - acknowledged) {
            throw new ProtocolViolationException(count + " acknowledged of " + next);
        }
        acknowledged = count;
    }

    /** Returns whether the peer has received the message of this number. */
    public boolean hasArrived(int sequence) {
        return acknowledged - sequence > 0;
    }

    /** Returns whether one more message may be sent. */
    public boolean admits() {
        return next - acknowledged < MAX_IN_FLIGHT;
    }

    /** Returns whether the peer has to be sent an acknowledgement. */
    public boolean isAcknowledgementDue() {
        return acknowledgementUrgent || expected - acknowledgedToPeer >= MAX_UNACKNOWLEDGED;
    }

    void acknowledgeAtOnce() {
        acknowledgementUrgent = true;
    }

    /** Returns the acknowledgement for a message that is sent now. */
    public int acknowledge() {
        acknowledgementUrgent = false;
        acknowledgedToPeer = expected;
        return expected;
    }

    /** Returns the number of a message that is sent now. */
    public int take() {
        return next++;
    }

    /** The message of the last number was not sent. */
    void giveBack() {
        next--;
        // It would have carried an acknowledgement.
        acknowledgementUrgent = true;
    }
}
