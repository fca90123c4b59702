package io.reactorucx;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.ProgressEngine;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import reactor.core.scheduler.Schedulers;

/**
 * Something that runs on an engine's thread also when the engine's queue is full at first: unlike an operation, what a connection has to do
 * about itself must not be lost. There is at most a little of it for each subscription.
 */
record InsistentCommand(ProgressEngine engine, Consumer<UcpWorker> action, Consumer<RuntimeException> whenEngineClosed) implements Command {

    void submit() {
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
            Schedulers.parallel().schedule(this::submit, 1, TimeUnit.MILLISECONDS);
        }
    }
}
