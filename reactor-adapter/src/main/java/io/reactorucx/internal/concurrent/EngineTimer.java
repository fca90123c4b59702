package io.reactorucx.internal.concurrent;

import io.reactorucx.internal.connection.ConnectionCore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** The time that the end of a connection may take, counted from what begins it first. On the engine's thread. */
public final class EngineTimer {

    private final ConnectionCore connection;
    private final Runnable whenOver;
    private @Nullable Disposable running;

    public EngineTimer(ConnectionCore connection, Runnable whenOver) {
        this.connection = connection;
        this.whenOver = whenOver;
    }

    public void start(Duration time) {
        if (running == null) {
            running = Schedulers.parallel().schedule(() -> connection.execute(worker -> whenOver.run()),
                    time.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    public void stop() {
        if (running != null) {
            running.dispose();
        }
    }
}
