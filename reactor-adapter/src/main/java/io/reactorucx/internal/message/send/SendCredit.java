package io.reactorucx.internal.message.send;

import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.context.MessageCounters;
import io.reactorucx.transport.frame.ProtocolViolationException;

/**
 * The credit that the peer has given for messages of a stream, and the time that sends wait for it.
 *
 * <p>Thread: engine.
 */
final class SendCredit {

    private final MessageCounters counters;
    private long messages;
    private long bytes;
    /** When the sends began to wait, 0 if they do not. */
    private long waitingSince;

    SendCredit(MessageCounters counters) {
        this.counters = counters;
    }

    /** The peer had given so much before this object was made. */
    void grantedBefore(int moreMessages, int moreBytes) {
        messages = moreMessages;
        bytes = moreBytes;
    }

    /** Refuses more credit than any peer may give. */
    void check(int moreMessages, int moreBytes) {
        if (messages + moreMessages > MessageFrameCodec.MAX_CREDIT
                || bytes + moreBytes > MessageFrameCodec.MAX_CREDIT) {
            throw new ProtocolViolationException("credit for " + (messages + moreMessages) + " messages and "
                    + (bytes + moreBytes) + " bytes");
        }
    }

    void grant(int moreMessages, int moreBytes) {
        messages += moreMessages;
        bytes += moreBytes;
        counters.credit(moreMessages);
        if (messages > 0) {
            endWait();
        }
    }

    long messages() {
        return messages;
    }

    boolean isEmpty() {
        return messages == 0;
    }

    /** Returns whether a small message of so many bytes may be sent. */
    boolean covers(long length) {
        return messages > 0 && length <= bytes;
    }

    /** A message was written or posted; a large one takes none of the bytes. */
    void spend(long inlineBytes) {
        messages--;
        bytes -= inlineBytes;
    }

    /** The rest is void. */
    void revoke() {
        counters.credit(-messages);
        messages = 0;
        bytes = 0;
    }

    void beginWait() {
        waitingSince = counters.creditWait().begin(waitingSince);
    }

    void endWait() {
        if (waitingSince != 0) {
            waitingSince = counters.creditWait().end(waitingSince);
        }
    }
}
