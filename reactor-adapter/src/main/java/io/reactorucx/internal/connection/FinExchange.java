package io.reactorucx.internal.connection;

import io.reactorucx.internal.frame.ControlFrame;
import java.util.function.Predicate;

/**
 * The words that end a connection in good order: each side says FIN when it has nothing more to say, and answers the
 * other's with FIN_ACK when it has taken all that came before. On the engine's thread, but for {@link #isHeard()}.
 */
final class FinExchange {

    private final Predicate<ControlFrame> sender;
    private boolean said;
    private boolean answered;
    private volatile boolean heard;

    FinExchange(Predicate<ControlFrame> sender) {
        this.sender = sender;
    }

    /** Says it, once. Answers whether it is on its way. */
    boolean say() {
        said = true;
        return sender.test(ControlFrame.of(ControlFrame.Type.FIN));
    }

    boolean isSaid() {
        return said;
    }

    /** The peer says it. Answers whether for the first time. */
    boolean hear() {
        boolean first = !heard;
        heard = true;
        return first;
    }

    boolean isHeard() {
        return heard;
    }

    /**
     * Tells the peer that it may close: what it sent is with the user, or has been given up. Tries again if that could
     * not be sent.
     */
    void answer() {
        if (!answered) {
            answered = sender.test(ControlFrame.of(ControlFrame.Type.FIN_ACK));
        }
    }

    boolean isAnswered() {
        return answered;
    }
}
