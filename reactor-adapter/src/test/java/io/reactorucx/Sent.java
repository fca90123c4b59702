package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** An operation under way, without a result. */
final class Sent {

    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final Disposable subscription;

    private Sent(Mono<?> operation) {
        subscription = operation.subscribe(ignored -> { }, end::completeExceptionally, () -> end.complete(null));
    }

    static Sent of(Mono<?> operation) {
        return new Sent(operation);
    }

    void assertDone() {
        Waits.get(end);
    }

    void assertPending() {
        assertThat(end).isNotDone();
    }

    Throwable failure() {
        return Waits.failure(end);
    }

    void cancel() {
        subscription.dispose();
    }
}
