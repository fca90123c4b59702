package io.reactorucx;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The waits of the {@code *Now} methods. Their arguments and thread are checked before the subscription; Reactor checks
 * after it.
 */
final class Blocking {

    private static final Duration MAX_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

    private Blocking() {
    }

    static <T> @Nullable T await(Mono<T> mono, Duration timeout, String method) {
        Objects.requireNonNull(timeout, "timeout");
        if (!timeout.isPositive() || timeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException("timeout " + timeout + ": must be more than 0 and at most "
                    + MAX_TIMEOUT);
        }
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException(method + ": blocks, which is not supported in thread "
                    + Thread.currentThread().getName()
                    + "; subscribe to the Mono instead");
        }
        return mono.block(timeout);
    }
}
