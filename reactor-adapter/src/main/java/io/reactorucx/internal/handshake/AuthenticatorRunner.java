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
 * Calls an {@link Authenticator} where it may block, and comes back to the handshake's thread with what it says. On
 * that thread.
 */
final class AuthenticatorRunner {

    private final HandshakeCallbacks output;
    private final Scheduler scheduler;
    private final Consumer<Throwable> whenRefused;
    private final Disposable.Composite running = Disposables.composite();
    private boolean closed;

    AuthenticatorRunner(HandshakeCallbacks output, Scheduler scheduler, Consumer<Throwable> whenRefused) {
        this.output = output;
        this.scheduler = scheduler;
        this.whenRefused = whenRefused;
    }

    /** An error, no value, or one that is too large refuses the peer. */
    void run(Supplier<Mono<byte[]>> step, Consumer<byte[]> then) {
        running.add(Mono.defer(step).switchIfEmpty(Mono.error(() ->
                new SecurityException("the authenticator accepted nothing")))
                .handle((byte[] value, SynchronousSink<byte[]> sink) -> {
                    if (value.length > Authenticator.MAX_BYTES) {
                        sink.error(new SecurityException("the authenticator gave " + value.length + " bytes, more than "
                                + Authenticator.MAX_BYTES));
                    } else {
                        sink.next(value);
                    }
                }).subscribeOn(scheduler)
                .subscribe(value -> comeBack(() -> then.accept(value)), error ->
                comeBack(() -> whenRefused.accept(error))));
    }

    private void comeBack(Runnable action) {
        output.execute(() -> {
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
