package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Actions that run after a delay. Engines may sleep for an hour here, so that a deadline that does not end a sleep
 * fails a test.
 */
@ExtendWith(NoLeaks.class)
@org.junit.jupiter.api.Timeout(60)
class EngineTimerTest {

    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long HOUR = Fixture.FOREVER.toNanos();

    private final List<String> ran = new ArrayList<>();

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
    }

    private Runnable note(String name) {
        return () -> ran.add(name);
    }

    @Test
    void runsActionOnItsThreadNotBeforeTheDelay() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            long begun = System.nanoTime();
            List<Long> taken = new ArrayList<>();
            Timeout timeout = engine.timer().schedule(5 * MILLISECOND, () -> {
                assertThat(engine.isEngineThread()).isTrue();
                taken.add(System.nanoTime() - begun);
            });
            assertThat(timeout.isPending()).isTrue();
            assertThat(engine.timer().pending()).isOne();
            fixture.stepUntil("the action has run", () -> !taken.isEmpty());
            assertThat(taken).singleElement()
                    .satisfies(nanos -> assertThat(nanos).isGreaterThanOrEqualTo(5 * MILLISECOND));
            assertThat(timeout.isPending()).isFalse();
            assertThat(timeout.cancel()).as("cancelled after it has run").isFalse();
            assertThat(engine.timer().pending()).isZero();
        }
    }

    /** A round of many commands may take long: a timeout waits for fewer of them than of an idle engine's. */
    @Test
    void runsActionInTheRoundOfManyCommands() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            // Ends the interval without a look at the clock, whose length depends on the rounds before.
            engine.timer().schedule(0, note("before"));
            fixture.stepUntil("the first has run", () -> ran.size() == 1);
            engine.timer().schedule(0, note("due"));
            Fixture.elsewhere(() -> {
                for (int i = 0; i < 16; i++) {
                    engine.execute(new Probe());
                }
            });

            engine.step(false, 0);

            assertThat(ran).containsExactly("before", "due");
        }
    }

    @Test
    void runsSoonestFirstAndEqualOnesInTheirOrder() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            engine.timer().schedule(6 * MILLISECOND, note("late"));
            engine.timer().schedule(3 * MILLISECOND, note("middle"));
            for (int i = 0; i < 5; i++) {
                engine.timer().schedule(0, note("at once " + i));
            }
            assertThat(ran).as("an action that ran within the call").isEmpty();
            fixture.stepUntil("all have run", () -> ran.size() == 7);
            assertThat(ran).containsExactly("at once 0", "at once 1", "at once 2", "at once 3", "at once 4", "middle",
                    "late");
        }
    }

    @Test
    void runsManyWithoutHoldingUpTheEngine() {
        try (Fixture fixture = Fixture.overTcp()) {
            EngineConfig few = Fixture.config(WaitStrategy.BUSY_SPIN, 16, 4, 16, Duration.ofSeconds(5));
            ProgressEngine engine = fixture.startedEngine(few);
            for (int i = 0; i < 10; i++) {
                engine.timer().schedule(0, note("action"));
            }
            List<Integer> sums = new ArrayList<>();
            for (int i = 0; i < 100 && ran.size() < 10; i++) {
                engine.step(false, 0);
                if (sums.isEmpty() ? !ran.isEmpty() : ran.size() > sums.getLast()) {
                    sums.add(ran.size());
                }
            }
            assertThat(sums).as("actions that had run after each round").containsExactly(4, 8, 10);
        }
    }

    @Test
    void cancelledActionDoesNotRun() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            Timeout first = engine.timer().schedule(0, note("first"));
            engine.timer().schedule(MILLISECOND, note("second"));
            assertThat(first.cancel()).isTrue();
            assertThat(first.cancel()).as("cancelled twice").isFalse();
            assertThat(first.isPending()).isFalse();
            assertThat(engine.timer().pending()).isOne();
            fixture.stepUntil("the other one has run", () -> engine.timer().pending() == 0);
            assertThat(ran).containsExactly("second");
        }
    }

    @Test
    void actionMayScheduleAndCancel() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            Timeout[] other = new Timeout[1];
            engine.timer().schedule(0, () -> {
                assertThat(other[0].cancel()).isTrue();
                engine.timer().schedule(0, note("scheduled by an action"));
            });
            other[0] = engine.timer().schedule(0, note("cancelled by an action"));
            fixture.stepUntil("nothing is pending", () -> engine.timer().pending() == 0);
            assertThat(ran).containsExactly("scheduled by an action");
        }
    }

    @Test
    void actionThatThrowsDoesNotKeepOthersFromRunning() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            engine.timer().schedule(0, () -> {
                throw new IllegalStateException("thrown by a test");
            });
            engine.timer().schedule(0, note("next"));
            fixture.stepUntil("both have run", () -> engine.timer().pending() == 0);
            assertThat(ran).containsExactly("next");
        }
    }

    @Test
    void anotherThreadSchedulesAndCancels() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            AtomicReference<Timeout> later = new AtomicReference<>();
            Fixture.elsewhere(() -> {
                engine.timer().schedule(0, note("from elsewhere"));
                engine.timer().schedule(0, note("cancelled before it arrived")).cancel();
                later.set(engine.timer().schedule(HOUR, note("cancelled later")));
            });
            assertThat(engine.timer().pending()).isEqualTo(3);
            fixture.stepUntil("the first has run", () -> engine.timer().pending() == 1);
            Fixture.elsewhere(() -> assertThat(later.get().cancel()).isTrue());
            fixture.stepUntil("none is pending", () -> engine.timer().pending() == 0);
            assertThat(ran).containsExactly("from elsewhere");
        }
    }

    @ParameterizedTest
    @EnumSource(value = WaitStrategy.class, names = {"EVENT", "ADAPTIVE"})
    void deadlineEndsTheSleepAndNothingElseDoes(WaitStrategy strategy) {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine(Fixture.config(strategy));
            engine.timer().schedule(HOUR, note("not within this test"));
            engine.timer().schedule(200 * MILLISECOND, note("woken"));
            long before = engine.counters().sleeps();
            while (ran.isEmpty()) {
                engine.step(true, System.nanoTime() + HOUR);
            }
            assertThat(ran).containsExactly("woken");
            assertThat(engine.counters().sleeps() - before).as("sleeps of an engine without work").isOne();
        }
    }

    @Test
    void timeoutOfAnotherThreadShortensTheSleep() throws InterruptedException {
        try (Fixture fixture = Fixture.overTcp();
                ProgressEngineGroup group = ProgressEngineGroup.start(fixture.context(),
                        Fixture.config(WaitStrategy.EVENT), 1, Thread::new, EngineObserver.NONE)) {
            ProgressEngine engine = group.next();
            CountDownLatch done = new CountDownLatch(1);
            await().until(() -> engine.counters().sleeps() > 0);
            engine.timer().schedule(10 * MILLISECOND, done::countDown);
            assertThat(done.await(20, TimeUnit.SECONDS)).as("the action has run").isTrue();
        }
    }

    @Test
    void closingDropsWhatIsPending() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            Timeout timeout = engine.timer().schedule(0, note("dropped"));
            fixture.close(engine);
            assertThat(ran).isEmpty();
            assertThat(engine.timer().pending()).isZero();
            assertThat(timeout.cancel()).isTrue();
            assertThatThrownBy(() -> engine.timer().schedule(0, note("too late")))
                    .isInstanceOf(UcxClosedException.class)
                    .hasMessageContaining(engine.name());
            Fixture.elsewhere(() -> assertThatThrownBy(() -> engine.timer().schedule(0, note("too late")))
                    .isInstanceOf(UcxClosedException.class));
            assertThat(engine.timer().pending()).isZero();
        }
    }

    @Test
    void fullQueueOfCommandsRefusesTimeoutsOfOtherThreads() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine =
                    fixture.startedEngine(Fixture.config(WaitStrategy.BUSY_SPIN, 2, 2, 16, Duration.ofSeconds(5)));
            Fixture.elsewhere(() -> {
                Timeout first = engine.timer().schedule(0, note("first"));
                engine.timer().schedule(0, note("second"));
                assertThatThrownBy(() -> engine.timer().schedule(0, note("third")))
                        .isInstanceOfSatisfying(UcxException.class,
                                e -> assertThat(e.status()).isEqualTo(UcxStatus.BUSY));
                assertThat(first.cancel()).as("cancelled although the queue is full").isTrue();
            });
            assertThat(engine.timer().pending()).isEqualTo(2);
            fixture.stepUntil("none is pending", () -> engine.timer().pending() == 0);
            assertThat(ran).containsExactly("second");
        }
    }

    @Test
    void refusesMoreThanItsCapacity() {
        try (Fixture fixture = Fixture.overTcp()) {
            EngineTimer timer = new EngineTimer(fixture.startedEngine(), 2);
            Timeout first = timer.schedule(HOUR, note("first"));
            timer.schedule(HOUR, note("second"));
            assertThatThrownBy(() -> timer.schedule(HOUR, note("third")))
                    .isInstanceOfSatisfying(UcxException.class, e -> {
                        assertThat(e.status()).isEqualTo(UcxStatus.BUSY);
                        assertThat(e).hasMessageContaining("2 timeouts of the engine");
                    });
            first.cancel();
            timer.schedule(HOUR, note("fourth"));
            assertThat(timer.pending()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
    void refusesDelayThatIsNone(long delayNanos) {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            assertThatThrownBy(() -> engine.timer().schedule(delayNanos, note("never")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("delayNanos " + delayNanos);
            assertThatThrownBy(() -> engine.timer().schedule(0, null)).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("action");
            assertThat(engine.timer().pending()).isZero();
        }
    }
}
