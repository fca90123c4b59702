package io.reactorucx;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** The time that the end of a connection may take, counted from what begins it first. On the engine's thread. */
final class CloseTimer {

    private final ConnectionCore connection;
    private final Runnable whenOver;
    private @Nullable Disposable running;

    CloseTimer(ConnectionCore connection, Runnable whenOver) {
        this.connection = connection;
        this.whenOver = whenOver;
    }

    void start(Duration time) {
        if (running == null) {
            running = Schedulers.parallel().schedule(() -> connection.execute(worker -> whenOver.run()), time.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    void stop() {
        if (running != null) {
            running.dispose();
        }
    }
}
