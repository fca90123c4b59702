package io.reactorucx.internal.handshake;

import io.reactorucx.security.Authenticator;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/**
 * Runs the steps of an {@link Authenticator} on threads that may block, and hands the results to the handshake's
 * thread.
 *
 * <p>Thread: the handshake's.
 */
final class AuthenticatorRunner {

    private final HandshakeCallbacks callbacks;
    private final AuthenticatorExecutor executor;
    private final Consumer<Throwable> whenRejected;
    private final Runnable whenRefused;
    private final Disposable.Composite running = Disposables.composite();
    private boolean started;
    private boolean closed;

    /** Creates a runner that notifies when a step rejects the peer, and when the executor refuses a step. */
    AuthenticatorRunner(HandshakeCallbacks callbacks, AuthenticatorExecutor executor, Consumer<Throwable> whenRejected,
            Runnable whenRefused) {
        this.callbacks = callbacks;
        this.executor = executor;
        this.whenRejected = whenRejected;
        this.whenRefused = whenRefused;
    }

    /** Runs a step. An error, no value, or a value that is too large rejects the peer. */
    void run(Supplier<Mono<byte[]>> step, Consumer<byte[]> then) {
        Mono<byte[]> checked = Mono.defer(step).switchIfEmpty(Mono.error(() ->
                new SecurityException("the authenticator gave no value")))
                .handle((byte[] value, SynchronousSink<byte[]> sink) -> {
                    if (value.length > Authenticator.MAX_BYTES) {
                        sink.error(new SecurityException("the authenticator gave " + value.length + " bytes, more than "
                                + Authenticator.MAX_BYTES));
                    } else {
                        sink.next(value);
                    }
                });
        try {
            boolean first = !started;
            started = true;
            running.add(executor.execute(() -> subscribe(checked, then), first));
        } catch (RejectedExecutionException e) {
            whenRefused.run();
        }
    }

    private void subscribe(Mono<byte[]> step, Consumer<byte[]> then) {
        try {
            running.add(step.subscribe(value -> resume(() -> then.accept(value)),
                    error -> resume(() -> whenRejected.accept(error))));
        } catch (Throwable t) {
            // Reactor throws some errors instead of signalling them.
            resume(() -> whenRejected.accept(t));
        }
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
