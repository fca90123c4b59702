package io.reactorucx.internal.concurrent;

import io.reactorucx.transport.command.EngineFuture;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** A future as a Mono whose work begins with the subscription, and whose error waits for no demand. */
public final class FutureMono {

    private FutureMono() {
    }

    /** Returns a Mono that calls for a future at each subscription; a cancel leaves the future alone. */
    public static <T> Mono<T> of(Supplier<CompletableFuture<T>> source) {
        return Mono.create(sink -> source.get().whenComplete((value, error) -> {
            if (error == null) {
                sink.success(value);
            } else {
                sink.error(EngineFuture.cause(error));
            }
        }));
    }
}
