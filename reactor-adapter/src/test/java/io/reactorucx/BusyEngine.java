package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** An engine that does nothing but wait, so that what is asked of it queues up. */
final class BusyEngine {

    private BusyEngine() {
    }

    /** Keeps a connection's engine busy until the latch opens. */
    static CountDownLatch of(UcxConnection connection) {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        connection.scheduler().schedule(() -> {
            blocked.countDown();
            pass(gate);
        });
        pass(blocked);
        return gate;
    }

    private static void pass(CountDownLatch latch) {
        try {
            assertThat(latch.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
