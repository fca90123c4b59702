package io.reactorucx.internal.connection;

import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Schedulers;

/**
 * What a raw peer sent before it closed by force, as UCX's own examples do at once: UCX reports the reset from its own
 * thread while messages still stand in shared memory. A round of the engine that finds nothing has taken the last of
 * them.
 */
final class ReceiveDrain {

    private static final int MOST_LOOKS = 100;

    private final ConnectionCore connection;
    private final long emptyStepsBefore;
    private final Runnable whenTaken;
    private int looks;

    private ReceiveDrain(ConnectionCore connection, Runnable whenTaken) {
        this.connection = connection;
        this.emptyStepsBefore = connection.engine().counters().emptySteps();
        this.whenTaken = whenTaken;
    }

    /**
     * Runs something on the engine's thread when the engine has taken what has arrived, on a busy one after some
     * rounds.
     */
    static void take(ConnectionCore connection, Runnable whenTaken) {
        new ReceiveDrain(connection, whenTaken).lookLater();
    }

    private void lookLater() {
        Schedulers.parallel().schedule(() -> connection.execute(worker -> look()), 1, TimeUnit.MILLISECONDS);
    }

    private void look() {
        if (++looks >= MOST_LOOKS || connection.engine().counters().emptySteps() > emptyStepsBefore) {
            whenTaken.run();
        } else {
            lookLater();
        }
    }
}
