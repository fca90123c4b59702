package io.reactorucx.internal.message.send;

import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.internal.message.batch.Termination;
import org.jspecify.annotations.Nullable;

/**
 * Whether the default stream ends incomplete with its connection, which the peer is told before the end.
 *
 * <p>Thread: engine.
 */
final class Interruption {

    private enum State {
        /** The stream completes with the connection. */
        NONE,
        /** The peer is told right before LAST. */
        WITH_LAST,
        /** The peer has closed the connection, and is told at once: there will be no LAST. */
        DUE,
        WRITTEN
    }

    private State state = State.NONE;
    private @Nullable MessageBatch writtenInto;

    /** Sets whether the stream ends incomplete, even if no send is in progress when this side closes. */
    void expect(boolean incomplete) {
        if (state == State.NONE || state == State.WITH_LAST) {
            state = incomplete ? State.WITH_LAST : State.NONE;
        }
    }

    /** The peer has closed the connection while there was more to send. */
    void tell() {
        state = State.DUE;
    }

    boolean isExpected() {
        return state == State.WITH_LAST;
    }

    /** Returns whether the peer's close has interrupted the stream, and that is to be written. */
    boolean isDue() {
        return state == State.DUE;
    }

    /**
     * Returns whether the peer has yet to be told that the stream is interrupted.
     *
     * @param unsent the batch that is filled, null for none
     */
    boolean isUnsent(@Nullable MessageBatch unsent) {
        return state == State.DUE || unsent != null && unsent == writtenInto;
    }

    void write(MessageBatch batch) {
        Termination.INTERRUPTED.write(batch, 0);
        state = State.WRITTEN;
        writtenInto = batch;
    }
}
