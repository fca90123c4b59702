package io.reactorucx.internal.concurrent;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.connection.ConnectionCore;
import reactor.core.publisher.Mono;

/** An end as a Mono, which completes with it. Thread: any. */
public final class EndMono {

    private EndMono() {
    }

    /** Returns a Mono that completes at an end, or fails with its failure; a cancelled subscription is forgotten. */
    public static Mono<Void> of(EndSignal end) {
        return Mono.create(sink -> {
            EndSignal.Listener listener = end.listen(() -> {
                Throwable failure = end.failure();
                if (failure == null) {
                    sink.success();
                } else {
                    sink.error(failure);
                }
            });
            sink.onDispose(listener::remove);
        });
    }

    /** Returns a Mono that closes a connection, and completes when it has ended. */
    public static Mono<Void> close(ConnectionCore connection, CloseMode mode) {
        return Mono.defer(() -> {
            connection.close(mode);
            return of(connection.end());
        });
    }

    /** Returns how a Flux ends whose next operation a connection has refused. */
    public static <T> Mono<T> afterEnd(ConnectionCore connection, UcxClosedException refusal) {
        UcxException error = connection.afterEnd(refusal);
        return error == null ? Mono.empty() : Mono.error(error);
    }
}
