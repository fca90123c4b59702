package io.reactorucx;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Waits of the {@code *Now} methods. What is wrong with one is said before anything begins: Reactor subscribes first,
 * and looks then.
 */
final class Blocking {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Blocking() {
    }

    static <T> @Nullable T await(Mono<T> mono, Duration timeout, String method) {
        Objects.requireNonNull(timeout, "timeout");
        if (!timeout.isPositive() || timeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("timeout " + timeout + ": must be more than 0 and at most " + LONGEST);
        }
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException(method + ": blocks, which is not supported in thread "
                    + Thread.currentThread().getName()
                    + "; subscribe to the Mono instead");
        }
        return mono.block(timeout);
    }
}
