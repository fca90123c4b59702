package io.reactorucx.internal.message.batch;

import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.frame.ProtocolViolationException;
import org.jspecify.annotations.Nullable;

/**
 * The sequence numbers of a connection's active messages, in both directions: UCX does not keep the order between small
 * and large ones. The window limits how many are in flight, and how many bytes of batches, and so what the receiving
 * side has to keep of those that come too early. The sender keeps to the bytes that its peer has announced; a peer that
 * does not violates the protocol.
 *
 * <p>Thread: engine.
 */
public final class SequenceWindow {

    /** A power of two. */
    public static final int WINDOW = 1024;
    /** The rest of the window is for batches that only acknowledge. */
    private static final int MAX_IN_FLIGHT = WINDOW / 2;
    private static final int MAX_UNACKNOWLEDGED = WINDOW / 8;

    private final int windowBytes;
    private @Nullable Object @Nullable [] early;
    private int earlyBytes;
    private int expected;
    private int acknowledgedToPeer;
    private int unacknowledgedToPeerBytes;
    private boolean acknowledgementUrgent;
    private char @Nullable [] sentBytes;
    private int next;
    private int acknowledged;
    private int unacknowledgedBytes;
    private int peerWindowBytes = FlowControlConfig.MIN_WINDOW_BYTES;

    /** Creates a window for a peer that may have so many bytes of batches in flight, and one batch beyond. */
    public SequenceWindow(int windowBytes) {
        this.windowBytes = windowBytes;
    }

    /** Sets how many bytes of batches the peer accepts in flight. */
    public void peerWindow(int bytes) {
        peerWindowBytes = bytes;
    }

    /** Returns whether a message is the next in order. */
    public boolean isNext(int sequence) {
        return sequence == expected;
    }

    /**
     * Returns whether a message is the next in order. One that comes too early is kept until its turn.
     *
     * @param bytes the size of a batch, 0 for a large message, whose data is with its sender
     */
    public boolean arrived(Object message, int sequence, int bytes) {
        int ahead = sequence - expected;
        if (ahead == 0) {
            unacknowledgedToPeerBytes += bytes;
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
        if (bytes > maxEarlyBytes() - earlyBytes) {
            throw new ProtocolViolationException(bytes + " bytes that come too early, with " + earlyBytes
                    + " bytes that wait for their turn, at most " + maxEarlyBytes() + " may");
        }
        earlyBytes += bytes;
        kept[place] = message;
        return false;
    }

    private int maxEarlyBytes() {
        return windowBytes + MessageFrameCodec.MAX_BATCH_BYTES;
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
        if (message instanceof byte[] batch) {
            earlyBytes -= batch.length;
            unacknowledgedToPeerBytes += batch.length;
        }
        return message;
    }

    /** Returns any message that came too early, to release it: its turn will not come. */
    public @Nullable Object pollAny() {
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
        char[] bytes = sentBytes;
        for (int number = acknowledged; bytes != null && number != count; number++) {
            unacknowledgedBytes -= bytes[number & WINDOW - 1];
        }
        acknowledged = count;
    }

    /** Returns whether the peer has received the message of this number. */
    public boolean hasArrived(int sequence) {
        return acknowledged - sequence > 0;
    }

    /** Returns whether one more message may be sent. */
    public boolean admits() {
        return next - acknowledged < MAX_IN_FLIGHT && unacknowledgedBytes < peerWindowBytes;
    }

    /** Returns whether the peer has to be sent an acknowledgement. */
    public boolean isAcknowledgementDue() {
        return acknowledgementUrgent || expected - acknowledgedToPeer >= MAX_UNACKNOWLEDGED
                || unacknowledgedToPeerBytes >= windowBytes / 4;
    }

    public void acknowledgeAtOnce() {
        acknowledgementUrgent = true;
    }

    /** Returns the acknowledgement for a message that is sent now. */
    public int acknowledge() {
        acknowledgementUrgent = false;
        unacknowledgedToPeerBytes = 0;
        acknowledgedToPeer = expected;
        return expected;
    }

    /**
     * Returns the number of a message that is sent now.
     *
     * @param bytes the size of a batch, 0 for a large message
     */
    public int take(int bytes) {
        char[] sent = sentBytes;
        if (sent == null) {
            sent = new char[WINDOW];
            sentBytes = sent;
        }
        sent[next & WINDOW - 1] = (char) bytes;
        unacknowledgedBytes += bytes;
        return next++;
    }

    /** Returns the number of the message that was sent last. */
    public int lastTaken() {
        return next - 1;
    }

    /** The message of the last number was not sent. */
    public void giveBack() {
        next--;
        if (sentBytes != null) {
            unacknowledgedBytes -= sentBytes[next & WINDOW - 1];
        }
        // The message would have carried an acknowledgement.
        acknowledgementUrgent = true;
    }
}
