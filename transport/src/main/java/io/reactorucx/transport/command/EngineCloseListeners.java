package io.reactorucx.transport.command;

import io.reactorucx.engine.EngineObserver;
import io.reactorucx.engine.EngineStall;
import io.reactorucx.engine.ProgressEngine;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Runs an action for each engine when it has closed or failed, once, and logs its stalls.
 *
 * <p>Thread: any.
 */
public final class EngineCloseListeners implements EngineObserver {

    private final Map<ProgressEngine, Runnable> actions = new ConcurrentHashMap<>();
    private final StallLog stalls = new StallLog();
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
    public void engineStalled(ProgressEngine engine, EngineStall stall) {
        stalls.stalled(engine, stall);
    }

    @Override
    public void stallEnded(ProgressEngine engine, EngineStall stall) {
        stalls.ended(engine, stall);
    }

    @Override
    public void engineClosed(ProgressEngine engine) {
        Runnable action = actions.get(engine);
        if (action != null) {
            action.run();
            // An action that lacked memory runs again with the engine's last signal.
            actions.remove(engine, action);
        }
    }
}
