package io.reactorucx.internal.message.receive;

import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.frame.ProtocolViolationException;

/**
 * The credit that this side has given for messages of a stream: for as many as the subscriber has requested, and for
 * as many bytes as the window has.
 *
 * <p>Thread: engine.
 */
final class ReceiveCredit {

    private final FlowControlConfig limits;
    private int messages;
    private int bytes;

    ReceiveCredit(FlowControlConfig limits) {
        this.limits = limits;
    }

    /** The peer had got so much before this object was made. */
    void granted(int moreMessages, int moreBytes) {
        messages = moreMessages;
        bytes = moreBytes;
    }

    /** A message has arrived, with so many bytes in a batch. */
    void spend(int length) {
        if (messages == 0 || length > bytes) {
            throw new ProtocolViolationException("a message of " + length + " bytes with credit for " + messages
                    + " of " + bytes + " bytes");
        }
        messages--;
        bytes -= length;
    }

    void reset() {
        messages = 0;
        bytes = 0;
    }

    /**
     * Returns whether the peer should get more: when it has used half of it, in messages or in bytes.
     *
     * @param demand what the subscriber has requested, less what waits for it
     * @param held the bytes of the messages that wait
     */
    boolean isDue(long demand, int held) {
        long more = demand - messages;
        return more > 0 && more >= messages || messages > 0 && freeBytes(held) >= limits.windowBytes() / 2;
    }

    private int freeBytes(int held) {
        return limits.windowBytes() - bytes - held;
    }

    /** Gives credit for what is requested, and returns for how many messages more than before. */
    int grantMessages(long demand) {
        int more = (int) Math.max(0, demand - messages);
        messages += more;
        return more;
    }

    /** Gives credit for the bytes of the window that are free, and returns for how many more than before. */
    int grantBytes(int held) {
        int more = Math.max(0, freeBytes(held));
        bytes += more;
        return more;
    }
}
