package io.reactorucx;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The waits of the {@code *Now} methods. Their arguments and thread are checked before the subscription; Reactor checks
 * after it.
 */
final class Blocking {

    private static final Duration MAX_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

    private static final Object LATE = new Object();

    private Blocking() {
    }

    /** Waits for the end of something, and fails with its state as text if the end does not come in time. */
    static void awaitEnd(Mono<Void> end, Duration timeout, String method, Object of) {
        await(end, timeout, method, late -> new UcxException(UcxStatus.TIMED_OUT, method, null,
                "not done within " + timeout + ": " + of, late));
    }

    /**
     * Waits for a value.
     *
     * @param explained makes the exception that the caller gets if the value does not come in time
     */
    static <T> @Nullable T await(Mono<T> mono, Duration timeout, String method,
            Function<IllegalStateException, UcxException> explained) {
        Objects.requireNonNull(timeout, "timeout");
        if (!timeout.isPositive() || timeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException("timeout " + timeout + ": must be more than 0 and at most "
                    + MAX_TIMEOUT);
        }
        check(method);
        AtomicReference<@Nullable Object> outcome = new AtomicReference<>();
        try {
            return mono.doOnNext(value -> {
                if (!outcome.compareAndSet(null, value)) {
                    giveBack(value);
                }
            }).block(timeout);
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof TimeoutException) {
                giveBack(outcome.getAndSet(LATE));
                throw explained.apply(e);
            }
            throw e;
        }
    }

    /** Throws on a thread that must not block. */
    static void check(String method) {
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException(method + ": blocks, which is not supported in thread "
                    + Thread.currentThread().getName()
                    + "; subscribe to the Mono instead");
        }
    }

    /** A value that comes at the moment of the timeout has no owner. */
    private static void giveBack(@Nullable Object value) {
        if (value instanceof Disposable made) {
            made.dispose();
        }
    }
}
