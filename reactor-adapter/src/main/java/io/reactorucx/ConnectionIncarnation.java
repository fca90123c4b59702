package io.reactorucx;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A reconnecting connection from one loss to the next: first it is being made, then it lives, or nobody will make it.
 */
final class ConnectionIncarnation {

    private final Sinks.One<UcxConnection> made = Sinks.one();
    private final Disposable.Swap making = Disposables.swap();
    private volatile @Nullable UcxConnection candidate;
    private volatile @Nullable UcxConnection connection;
    private volatile @Nullable Supplier<UcxException> failure;

    /** One in which there is no connection and will be none. */
    static ConnectionIncarnation failed(Supplier<UcxException> failure) {
        ConnectionIncarnation period = new ConnectionIncarnation();
        period.fail(failure);
        return period;
    }

    /** What makes the connection, to be ended with the period. */
    void making(Disposable work) {
        making.update(work);
    }

    /** Is connected, and not yet for use. */
    void candidate(UcxConnection connected) {
        candidate = connected;
        if (making.isDisposed()) {
            connected.dispose();
        }
    }

    /** From now on {@link #live()} has it; those who wait hear with {@link #announce}. */
    void begins(UcxConnection ready) {
        connection = ready;
    }

    void announce(UcxConnection ready) {
        made.tryEmitValue(ready);
    }

    /** Nobody will make it. */
    void fail(Supplier<UcxException> error) {
        failure = error;
        made.tryEmitError(error.get());
    }

    /** Ends the making of it; answers with what there is to close. */
    @Nullable UcxConnection stop() {
        making.dispose();
        UcxConnection ready = connection;
        return ready == null ? candidate : ready;
    }

    /** The connection, if there is one that works. */
    @Nullable UcxConnection live() {
        UcxConnection ready = connection;
        return ready != null && ready.state() == ConnectionState.CONNECTED ? ready : null;
    }

    boolean isOver() {
        UcxConnection ready = connection;
        return ready != null && ready.state() != ConnectionState.CONNECTED;
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** The connection when there is one, or why there is none. */
    Mono<UcxConnection> connection() {
        Supplier<UcxException> error = failure;
        return error == null ? made.asMono() : Mono.error(error);
    }

    /**
     * What a connection whose end has begun ends of: its loss, or an end in good order, which is a loss for who wants
     * it back.
     */
    static <T> Mono<T> loss(UcxConnection of) {
        return of.loss().then(Mono.error(() -> new UcxException(UcxStatus.NOT_CONNECTED, "connection", of.peer(),
                "it was closed in good order")));
    }
}
