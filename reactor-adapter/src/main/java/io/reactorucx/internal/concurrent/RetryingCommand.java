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
 * Something that runs on an engine's thread also when the engine's queue is full at first: unlike an operation, what a
 * connection has to do about itself must not be lost. There is at most a little of it for each subscription.
 */
public record RetryingCommand(ProgressEngine engine, Consumer<UcpWorker> action,
        Consumer<RuntimeException> whenEngineClosed) implements Command {

    /** Runs something on an engine's thread and gives its result; fails when that throws, or the engine is closed. */
    public static <T> Mono<T> mono(ProgressEngine engine, Function<UcpWorker, T> action) {
        return Mono.create(sink -> new RetryingCommand(engine, worker -> {
            try {
                sink.success(action.apply(worker));
            } catch (RuntimeException | LinkageError e) {
                sink.error(e);
            }
        }, sink::error).submit());
    }

    /** Another attempt in a moment, for a command that the engine had no room for. */
    public static void again(ProgressEngine engine, Command command) {
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
            again(engine, this);
        }
    }
}
