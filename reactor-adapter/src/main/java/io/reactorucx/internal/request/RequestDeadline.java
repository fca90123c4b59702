package io.reactorucx.internal.request;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import reactor.core.publisher.Flux;

/**
 * The deadline of a request as its responder's side sees it.
 *
 * <p>The requester's clock has begun before this one, so that its cancel mostly comes first. A cancel in the last tenth
 * of the time, or the last 10 ms, therefore counts as the deadline: both sides tell of one outcome.
 *
 * <p>Thread: any.
 */
final class RequestDeadline {

    static final RequestDeadline NONE = new RequestDeadline(0);

    private static final int MIN_TOLERANCE_MILLIS = 10;

    private final int millis;
    private final long begunNanos = System.nanoTime();

    /** Begins now; 0 is no deadline. */
    RequestDeadline(int millis) {
        this.millis = millis;
    }

    <T> Flux<T> limit(Flux<T> responses) {
        return DeadlineOperator.withDeadline(responses, millis);
    }

    private boolean hasPassed() {
        return millis != 0 && System.nanoTime() - begunNanos
                >= (millis - Math.max(millis / 10, MIN_TOLERANCE_MILLIS)) * 1_000_000L;
    }

    /** Returns the deadline's error for a cancel by the requester which that has caused, else the given error. */
    Throwable orDeadline(Throwable error) {
        return error instanceof UcxClosedException && hasPassed()
                ? new UcxRequestException(Reason.DEADLINE, DeadlineOperator.message(millis)) : error;
    }
}
