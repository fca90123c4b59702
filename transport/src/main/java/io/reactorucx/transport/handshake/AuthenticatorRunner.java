package io.reactorucx.transport.handshake;

import io.reactorucx.security.Authenticator;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
    /** Ends the steps that have begun; guarded by this. */
    private final List<Runnable> cancels = new ArrayList<>();
    private boolean started;
    private volatile boolean closed;

    /** Creates a runner that notifies when a step rejects the peer, and when the executor refuses a step. */
    AuthenticatorRunner(HandshakeCallbacks callbacks, AuthenticatorExecutor executor, Consumer<Throwable> whenRejected,
            Runnable whenRefused) {
        this.callbacks = callbacks;
        this.executor = executor;
        this.whenRejected = whenRejected;
        this.whenRefused = whenRefused;
    }

    /** Runs a step. An error, no value, or a value that is too large rejects the peer. */
    void run(Supplier<? extends CompletionStage<byte[]>> step, Consumer<byte[]> then) {
        try {
            boolean first = !started;
            started = true;
            cancelAtEnd(executor.execute(() -> start(step, then), first));
        } catch (RejectedExecutionException e) {
            whenRefused.run();
        }
    }

    /** Thread: any. */
    private void start(Supplier<? extends CompletionStage<byte[]>> step, Consumer<byte[]> then) {
        try {
            CompletableFuture<byte[]> result = Objects.requireNonNull(step.get(), "the authenticator gave null")
                    .toCompletableFuture();
            cancelAtEnd(() -> result.cancel(true));
            result.whenComplete((value, error) -> resume(() -> ended(value, error, then)));
        } catch (Throwable t) {
            resume(() -> whenRejected.accept(t));
        }
    }

    private void ended(byte @Nullable [] value, @Nullable Throwable error, Consumer<byte[]> then) {
        if (error != null) {
            whenRejected.accept(error instanceof CompletionException && error.getCause() != null ? error.getCause()
                    : error);
        } else if (value == null) {
            whenRejected.accept(new SecurityException("the authenticator gave no value"));
        } else if (value.length > Authenticator.MAX_BYTES) {
            whenRejected.accept(new SecurityException("the authenticator gave " + value.length + " bytes, more than "
                    + Authenticator.MAX_BYTES));
        } else {
            then.accept(value);
        }
    }

    /** Thread: any. */
    private void cancelAtEnd(Runnable cancel) {
        synchronized (this) {
            if (!closed) {
                cancels.add(cancel);
                return;
            }
        }
        cancel.run();
    }

    private void resume(Runnable action) {
        callbacks.execute(() -> {
            if (!closed) {
                action.run();
            }
        });
    }

    void close() {
        List<Runnable> begun;
        synchronized (this) {
            closed = true;
            begun = List.copyOf(cancels);
            cancels.clear();
        }
        begun.forEach(Runnable::run);
    }
}
