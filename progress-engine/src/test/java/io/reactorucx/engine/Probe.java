package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.UcpWorker;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command that counts how often it was run and rejected. */
final class Probe implements Command {

    private final Consumer<UcpWorker> action;
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger rejections = new AtomicInteger();
    private final AtomicReference<@Nullable RuntimeException> cause = new AtomicReference<>();

    Probe() {
        this(worker -> { });
    }

    Probe(Consumer<UcpWorker> action) {
        this.action = action;
    }

    @Override
    public void run(UcpWorker worker) {
        runs.incrementAndGet();
        action.accept(worker);
    }

    @Override
    public void reject(RuntimeException why) {
        cause.set(why);
        rejections.incrementAndGet();
    }

    int runs() {
        return runs.get();
    }

    int rejections() {
        return rejections.get();
    }

    boolean wasRejected() {
        return rejections.get() > 0;
    }

    RuntimeException cause() {
        RuntimeException why = cause.get();
        assertThat(why).as("cause of the rejection").isNotNull();
        return why;
    }
}
