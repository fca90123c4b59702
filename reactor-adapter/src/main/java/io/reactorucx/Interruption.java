package io.reactorucx;

import io.reactorucx.UcxRequestException.Reason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ends a Flux with an error that comes from elsewhere. An error of {@link Flux#takeUntilOther} would leave the source subscribed. */
final class Interruption {

    private Interruption() {
    }

    /** Cancels the source when the reason comes, and ends with that. */
    static <T> Flux<T> of(Flux<T> source, Mono<? extends Throwable> reason) {
        return Flux.defer(() -> {
            AtomicReference<Throwable> cause = new AtomicReference<>();
            return source.takeUntilOther(reason.doOnNext(cause::set)).concatWith(Mono.defer(() -> {
                Throwable error = cause.get();
                return error == null ? Mono.empty() : Mono.error(error);
            }));
        });
    }

    /** Cancels the source when it takes longer as a whole. */
    static <T> Flux<T> late(Flux<T> source, int millis) {
        return millis == 0 ? source : of(source, Mono.delay(Duration.ofMillis(millis)).map(tick -> new UcxRequestException(Reason.DEADLINE,
                "no end of the answer within " + millis + " ms")));
    }
}
