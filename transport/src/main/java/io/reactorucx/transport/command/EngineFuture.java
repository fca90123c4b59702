package io.reactorucx.transport.command;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.CommandExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call on an engine's thread as a future, which fails when the call throws, or the engine is closed.
 *
 * <p>Thread: any.
 */
public final class EngineFuture {

    private EngineFuture() {
    }

    /** Calls a function; fails where the engine's queue is full. */
    public static <T> CompletableFuture<T> call(CommandExecutor engine, Function<UcpWorker, T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        engine.execute(new Command() {
            @Override
            public void run(UcpWorker worker) {
                complete(result, action, worker);
            }

            @Override
            public void reject(RuntimeException cause) {
                result.completeExceptionally(cause);
            }
        });
        return result;
    }

    /** Calls a function; waits where the engine's queue is full. */
    public static <T> CompletableFuture<T> callRetried(CommandExecutor engine, Function<UcpWorker, T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        new RetryingCommand(engine, worker -> complete(result, action, worker), result::completeExceptionally).submit();
        return result;
    }

    /** Runs an action; waits where the engine's queue is full. */
    public static CompletableFuture<@Nullable Void> runRetried(CommandExecutor engine, Consumer<UcpWorker> action) {
        return done(callRetried(engine, worker -> {
            action.accept(worker);
            return true;
        }));
    }

    /** Returns a future without a value. */
    public static CompletableFuture<@Nullable Void> done(CompletableFuture<?> future) {
        return future.<@Nullable Void>thenApply(ignored -> null);
    }

    /** Returns what was thrown, of what a future hands on. */
    public static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static <T> void complete(CompletableFuture<T> result, Function<UcpWorker, T> action, UcpWorker worker) {
        try {
            result.complete(action.apply(worker));
        } catch (Throwable t) {
            result.completeExceptionally(t);
            JvmErrors.rethrowIfOutOfMemory(t);
        }
    }
}
