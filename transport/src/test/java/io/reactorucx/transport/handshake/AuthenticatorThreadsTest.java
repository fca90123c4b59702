package io.reactorucx.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.config.AuthenticatorLimits;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who floods a server with steps of authenticators waits for them, and others do not. */
class AuthenticatorThreadsTest {

    private static final String FLOOD = "192.0.2.1";
    private static final String HONEST = "192.0.2.2";

    /** The limit is 12, of which a client can have 6. */
    private final AuthenticatorThreads threads = new AuthenticatorThreads("test", new AuthenticatorLimits(1, 11),
            FairLimit.HALF);
    private final LinkedBlockingQueue<String> done = new LinkedBlockingQueue<>();
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void close() {
        threads.close();
    }

    private Runnable submit(String from, String name, boolean first) {
        return threads.of(PeerOrigin.of(new InetSocketAddress(from, 40_000))).execute(() -> done.add(name), first);
    }

    private Runnable first(String from, String name) {
        return submit(from, name, true);
    }

    private Runnable later(String from, String name) {
        return submit(from, name, false);
    }

    /** Occupies the only thread with a first step, until it is released. */
    private Runnable occupy(String from) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        Runnable cancel = threads.of(PeerOrigin.of(new InetSocketAddress(from, 40_000))).execute(() -> {
            running.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                done.add("interrupted");
            }
        }, true);
        assertThat(running.await(TestTime.seconds(10).toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        return cancel;
    }

    private List<String> next(int count) throws InterruptedException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(done.poll(TestTime.seconds(10).toMillis(), TimeUnit.MILLISECONDS));
        }
        return names;
    }

    @Test
    void clientsHaveTheirTurns() throws InterruptedException {
        occupy(FLOOD);
        for (int i = 1; i <= 5; i++) {
            first(FLOOD, "flood " + i);
        }
        first(HONEST, "honest 1");
        first("192.0.2.3", "third");
        first(HONEST, "honest 2");
        released.countDown();

        assertThat(next(8)).containsExactly("flood 1", "honest 1", "third", "flood 2", "honest 2", "flood 3",
                "flood 4", "flood 5");
        assertThat(threads.queued()).isZero();
    }

    @Test
    void clientHasItsShareAndLeavesTheRestToOthers() throws InterruptedException {
        occupy(FLOOD);
        for (int i = 1; i <= 5; i++) {
            first(FLOOD, "flood " + i);
        }
        assertThatThrownBy(() -> first(FLOOD, "flood 6")).isInstanceOf(RejectedExecutionException.class);

        first(HONEST, "honest");

        assertThat(threads.refused()).isOne();
        assertThat(threads.queued()).isEqualTo(6);
        later(FLOOD, "later ones have no limit");
        released.countDown();
        assertThat(next(7)).contains("honest").doesNotContain("flood 6");
    }

    @Test
    void clientsTogetherHaveTheLimit() throws InterruptedException {
        occupy(FLOOD);
        for (int i = 1; i <= 11; i++) {
            first("192.0.2.1" + i, "client " + i);
        }

        assertThatThrownBy(() -> first(HONEST, "honest")).isInstanceOf(RejectedExecutionException.class);
    }

    /** Both who has held back many later steps and who begins many handshakes hold up others by one step. */
    @Test
    void laterStepsAndFirstOnesAlternate() throws InterruptedException {
        occupy(FLOOD);
        for (int i = 1; i <= 3; i++) {
            later(FLOOD, "flood, later " + i);
            first(FLOOD, "flood, first " + i);
        }
        first(HONEST, "honest, first");
        later(HONEST, "honest, later");
        released.countDown();

        assertThat(next(8)).containsExactly("flood, later 1", "flood, first 1", "honest, later", "honest, first",
                "flood, later 2", "flood, first 2", "flood, later 3", "flood, first 3");
    }

    @Test
    void cancelledStepDoesNotRunAndFreesItsPlace() throws InterruptedException {
        Runnable running = occupy(FLOOD);
        List<Runnable> cancels = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            cancels.add(first(FLOOD, "flood " + i));
        }
        cancels.forEach(Runnable::run);
        cancels.forEach(Runnable::run);
        assertThat(threads.queued()).isZero();
        for (int i = 6; i <= 10; i++) {
            first(FLOOD, "flood " + i);
        }
        running.run();

        assertThat(next(6)).containsExactly("interrupted", "flood 6", "flood 7", "flood 8", "flood 9", "flood 10");
    }

    /** Each step that is not cancelled runs, however cancelling and running meet. */
    @Test
    void cancelledStepTakesNoOtherWithIt() throws InterruptedException {
        for (int i = 0; i < 20_000; i++) {
            Runnable cancel = later(FLOOD, "cancelled");
            later(i % 3 == 0 ? FLOOD : HONEST, "kept");
            cancel.run();
        }
        int kept = 0;
        while (kept < 20_000) {
            String name = done.poll(TestTime.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
            assertThat(name).as("after %d", kept).isNotNull();
            kept += "kept".equals(name) ? 1 : 0;
        }
    }

    @Test
    void closedThreadsRefuse() {
        threads.close();
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> first(HONEST, "late")).isInstanceOf(RejectedExecutionException.class);
        }
        assertThat(threads.refused()).as("for too many others").isZero();
    }
}
