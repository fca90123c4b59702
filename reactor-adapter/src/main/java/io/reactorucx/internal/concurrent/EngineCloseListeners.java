package io.reactorucx.internal.concurrent;

import io.reactorucx.engine.EngineObserver;
import io.reactorucx.engine.ProgressEngine;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs an action for each engine when it has closed.
 *
 * <p>Thread: any.
 */
public final class EngineCloseListeners implements EngineObserver {

    private final Map<ProgressEngine, Runnable> actions = new ConcurrentHashMap<>();

    public void whenClosed(ProgressEngine engine, Runnable action) {
        actions.put(engine, action);
    }

    @Override
    public void engineClosed(ProgressEngine engine) {
        Runnable action = actions.remove(engine);
        if (action != null) {
            action.run();
        }
    }
}
