package io.reactorucx.internal.concurrent;

import io.reactorucx.engine.EngineObserver;
import io.reactorucx.engine.ProgressEngine;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Runs an action for each engine when it has closed or failed, once.
 *
 * <p>Thread: any.
 */
public final class EngineCloseListeners implements EngineObserver {

    private final Map<ProgressEngine, Runnable> actions = new ConcurrentHashMap<>();
    private volatile BiConsumer<ProgressEngine, Throwable> whenFailed = (engine, cause) -> { };

    public void whenClosed(ProgressEngine engine, Runnable action) {
        actions.put(engine, action);
    }

    /** Sets what runs, after the action of an engine, if the engine has failed. */
    public void whenFailed(BiConsumer<ProgressEngine, Throwable> action) {
        whenFailed = action;
    }

    @Override
    public void engineFailed(ProgressEngine engine, Throwable cause) {
        try {
            engineClosed(engine);
        } finally {
            whenFailed.accept(engine, cause);
        }
    }

    @Override
    public void engineClosed(ProgressEngine engine) {
        Runnable action = actions.remove(engine);
        if (action != null) {
            action.run();
        }
    }
}
