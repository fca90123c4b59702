package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** An operation under way, without a result. */
final class PendingOperation {

    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final Disposable subscription;

    private PendingOperation(Mono<?> operation) {
        subscription = operation.subscribe(ignored -> { }, end::completeExceptionally, () -> end.complete(null));
    }

    static PendingOperation of(Mono<?> operation) {
        return new PendingOperation(operation);
    }

    void assertDone() {
        Waits.get(end);
    }

    /** However it ends. */
    void awaitEnd() {
        await().atMost(Waits.PATIENCE).until(end::isDone);
    }

    void assertPending() {
        assertPending("operation");
    }

    void assertPending(String operation) {
        assertThat(end).as(operation).isNotDone();
    }

    /** Waits for the end, well or badly. */
    boolean hasFailed() {
        try {
            end.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return false;
        } catch (ExecutionException e) {
            return true;
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("it did not end within " + Waits.PATIENCE, e);
        }
    }

    Throwable failure() {
        return Waits.failure(end);
    }

    void cancel() {
        subscription.dispose();
    }
}
