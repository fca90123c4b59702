package io.reactorucx.internal.concurrent;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.ProgressEngine;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * An action on an engine's thread that is retried while the engine's queue is full. Operations fail in that case; a
 * connection's own steps must not be lost. Each subscription submits a bounded number of them.
 *
 * <p>Thread: any.
 *
 * @param engine the engine
 * @param action runs on the engine's thread
 * @param whenEngineClosed runs in place of the action, on any thread, once the engine is closed
 * @param isUrgent whether it may overtake what was submitted before
 */
public record RetryingCommand(ProgressEngine engine, Consumer<UcpWorker> action,
        Consumer<RuntimeException> whenEngineClosed, boolean isUrgent) implements Command {

    /** Creates a command that runs after what was submitted before. */
    public RetryingCommand(ProgressEngine engine, Consumer<UcpWorker> action,
            Consumer<RuntimeException> whenEngineClosed) {
        this(engine, action, whenEngineClosed, false);
    }

    /**
     * Returns a Mono that calls a function on the engine's thread. It fails when the function throws or the engine is
     * closed.
     */
    public static <T> Mono<T> mono(ProgressEngine engine, Function<UcpWorker, T> action) {
        return Mono.create(sink -> new RetryingCommand(engine, worker -> {
            try {
                sink.success(action.apply(worker));
            } catch (Throwable t) {
                sink.error(t);
                ApplicationErrors.rethrowIfOutOfMemory(t);
            }
        }, sink::error).submit());
    }

    /** Executes a command again after 1 ms: the engine's queue was full. */
    public static void retry(ProgressEngine engine, Command command) {
        Schedulers.parallel().schedule(() -> engine.execute(command), 1, TimeUnit.MILLISECONDS);
    }

    public void submit() {
        engine.execute(this);
    }

    @Override
    public void run(UcpWorker worker) {
        action.accept(worker);
    }

    @Override
    public void reject(RuntimeException cause) {
        if (cause instanceof UcxClosedException) {
            whenEngineClosed.accept(cause);
        } else {
            retry(engine, this);
        }
    }
}
