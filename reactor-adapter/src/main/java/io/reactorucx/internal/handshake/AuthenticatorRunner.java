package io.reactorucx.internal.handshake;

import io.reactorucx.security.Authenticator;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Scheduler;

/**
 * Runs the steps of an {@link Authenticator} on a scheduler whose threads may block, and hands the results to the
 * handshake's thread.
 *
 * <p>Thread: the handshake's.
 */
final class AuthenticatorRunner {

    private final HandshakeCallbacks callbacks;
    private final Scheduler scheduler;
    private final Consumer<Throwable> whenRejected;
    private final Disposable.Composite running = Disposables.composite();
    private boolean closed;

    AuthenticatorRunner(HandshakeCallbacks callbacks, Scheduler scheduler, Consumer<Throwable> whenRejected) {
        this.callbacks = callbacks;
        this.scheduler = scheduler;
        this.whenRejected = whenRejected;
    }

    /** Runs a step. An error, no value, or a value that is too large rejects the peer. */
    void run(Supplier<Mono<byte[]>> step, Consumer<byte[]> then) {
        running.add(Mono.defer(step).switchIfEmpty(Mono.error(() ->
                new SecurityException("the authenticator gave no value")))
                .handle((byte[] value, SynchronousSink<byte[]> sink) -> {
                    if (value.length > Authenticator.MAX_BYTES) {
                        sink.error(new SecurityException("the authenticator gave " + value.length + " bytes, more than "
                                + Authenticator.MAX_BYTES));
                    } else {
                        sink.next(value);
                    }
                }).subscribeOn(scheduler)
                .subscribe(value -> resume(() -> then.accept(value)),
                        error -> resume(() -> whenRejected.accept(error))));
    }

    private void resume(Runnable action) {
        callbacks.execute(() -> {
            if (!closed) {
                action.run();
            }
        });
    }

    void close() {
        closed = true;
        running.dispose();
    }
}
