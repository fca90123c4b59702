package io.reactorucx.internal.concurrent;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.transport.command.RetryingCommand;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * A call on an engine's thread whose result, or exception, goes to a subscriber.
 *
 * <p>Thread: any.
 */
public final class EngineCall<T> implements Command {

    private final MonoSink<T> sink;
    private final Function<UcpWorker, T> action;

    private EngineCall(MonoSink<T> sink, Function<UcpWorker, T> action) {
        this.sink = sink;
        this.action = action;
    }

    /**
     * Returns a Mono that calls a function on the engine's thread. It fails when the function throws, the engine's
     * queue is full, or the engine is closed.
     */
    public static <T> Mono<T> mono(CommandExecutor engine, Function<UcpWorker, T> action) {
        return Mono.create(sink -> engine.execute(new EngineCall<>(sink, action)));
    }

    /** As {@link #mono}, but waits where the engine's queue is full. */
    public static <T> Mono<T> retried(CommandExecutor engine, Function<UcpWorker, T> action) {
        return Mono.create(sink -> {
            EngineCall<T> call = new EngineCall<>(sink, action);
            new RetryingCommand(engine, call::run, call::reject).submit();
        });
    }

    @Override
    public void run(UcpWorker worker) {
        try {
            sink.success(action.apply(worker));
        } catch (Throwable t) {
            sink.error(t);
            ApplicationErrors.rethrowIfOutOfMemory(t);
        }
    }

    @Override
    public void reject(RuntimeException cause) {
        sink.error(cause);
    }
}
