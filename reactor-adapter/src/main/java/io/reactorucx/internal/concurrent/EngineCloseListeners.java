package io.reactorucx.internal.concurrent;

import io.reactorucx.engine.EngineObserver;
import io.reactorucx.engine.ProgressEngine;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Tells those who depend on an engine that it has ended, whoever ended it. */
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
