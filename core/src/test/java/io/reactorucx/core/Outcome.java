package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.error.UcxStatus;
import java.util.function.Predicate;

/** The outcome of one operation, with a check that its completion is called exactly as often as it should be. */
final class Outcome implements Completion {

    private boolean posted;
    private boolean immediate;
    private int calls;
    private int status;
    private long length;
    private long tag;

    /** Posts an operation that returns whether it is done already. */
    static Outcome of(Predicate<Completion> operation) {
        Outcome outcome = new Outcome();
        outcome.immediate = operation.test(outcome);
        outcome.posted = true;
        assertThat(outcome.calls).as("calls of the completion within the call").isZero();
        return outcome;
    }

    @Override
    public void complete(int rawStatus, long received, long senderTag) {
        calls++;
        assertThat(calls).as("calls of the completion").isEqualTo(1);
        assertThat(posted && immediate).as("a completion of an operation that was done already").isFalse();
        status = rawStatus;
        length = received;
        tag = senderTag;
    }

    boolean isDone() {
        return immediate || calls > 0;
    }

    UcxStatus status() {
        assertThat(isDone()).as("whether the operation has ended").isTrue();
        return UcxStatus.of(status);
    }

    long length() {
        return length;
    }

    long tag() {
        return tag;
    }
}
