package io.reactorucx.internal.concurrent;

import io.reactorucx.internal.command.EndSignal;
import reactor.core.publisher.Mono;

/** An end as a Mono, which completes with it. Thread: any. */
public final class EndMono {

    private EndMono() {
    }

    /** Returns a Mono that completes at an end; a cancelled subscription is forgotten. */
    public static Mono<Void> of(EndSignal end) {
        return Mono.create(sink -> {
            EndSignal.Listener listener = end.listen(sink::success);
            sink.onDispose(listener::remove);
        });
    }
}
