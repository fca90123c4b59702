package io.reactorucx;

import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Bounded waits: a test that waits longer than this has failed. */
final class Waits {

    static final Duration PATIENCE = TestTime.seconds(20);

    private Waits() {
    }

    /** Looks at once, and then every few milliseconds; Awaitility's default is to look after 100 ms first. */
    static ConditionFactory soon() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).atMost(PATIENCE);
    }

    /** What was asked of the connection's engine before this call has been done there. */
    static void engineOf(UcxConnection connection) {
        if (!Schedulers.isInNonBlockingThread()) {
            Mono.fromRunnable(() -> { }).subscribeOn(connection.scheduler()).block(PATIENCE);
        }
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new AssertionError("it ended with an error", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("it did not end within " + PATIENCE, e);
        }
    }

    /** How a future that has to fail did fail. */
    static Throwable failure(CompletableFuture<?> future) {
        try {
            Object value = future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            throw new AssertionError("it ended well, with " + value);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (TimeoutException e) {
            throw new AssertionError("it did not end within " + PATIENCE, e);
        }
    }
}
