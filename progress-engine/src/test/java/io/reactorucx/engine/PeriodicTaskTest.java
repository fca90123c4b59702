package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Actions that an engine repeats. */
@ExtendWith(NoLeaks.class)
@org.junit.jupiter.api.Timeout(60)
class PeriodicTaskTest {

    private static final Duration INTERVAL = Duration.ofMillis(1);

    private final AtomicInteger runs = new AtomicInteger();

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
    }

    @Test
    void runsAsLongAsThereIsMoreToDo() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            PeriodicTask task = new PeriodicTask(engine, "a test", INTERVAL, () -> runs.incrementAndGet() < 3);
            task.start();
            task.start();
            assertThat(engine.timer().pending()).as("one run is to come").isOne();
            fixture.stepUntil("three runs", () -> runs.get() == 3);
            assertThat(engine.timer().pending()).isZero();

            task.start();
            fixture.stepUntil("one more run", () -> runs.get() == 4);
            assertThat(engine.timer().pending()).isZero();
        }
    }

    @Test
    void runsAgainAfterAnActionThatThrew() {
        try (Fixture fixture = Fixture.overTcp()) {
            PeriodicTask task = new PeriodicTask(fixture.startedEngine(), "a test", INTERVAL, () -> {
                if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("thrown by the test");
                }
                return false;
            });
            task.start();
            fixture.stepUntil("the run after the error", () -> runs.get() == 2);
        }
    }

    @Test
    void runsNoMoreOnceItIsStopped() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            PeriodicTask task = new PeriodicTask(engine, "a test", INTERVAL, () -> {
                runs.incrementAndGet();
                return true;
            });
            task.start();
            fixture.stepUntil("a run", () -> runs.get() > 0);
            task.stop();
            assertThat(engine.timer().pending()).isZero();
        }
    }

    @Test
    void alignedTasksOfOneIntervalRunAtTheSameTimes() {
        Clock clock = new Clock();
        for (long begun : new long[] {7, 499_999_999, 500_000_000, -1}) {
            clock.now = begun;
            PeriodicTask.aligned(clock, "a test", Duration.ofMillis(500), () -> false).start();
            assertThat(clock.delay).as("from %s ns", begun).isBetween(1L, 500_000_000L);
            assertThat((begun + clock.delay) % 500_000_000L).as("from %s ns", begun).isZero();
        }
    }

    /** Has the time that the test sets, and keeps a delay. */
    private static final class Clock implements CommandExecutor {

        private long now;
        private long delay;

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public Timeout schedule(long delayNanos, Runnable action) {
            delay = delayNanos;
            return new Timeout() {
                @Override
                public boolean cancel() {
                    return false;
                }

                @Override
                public boolean isPending() {
                    return true;
                }
            };
        }

        @Override
        public String name() {
            return "clock";
        }

        @Override
        public @Nullable Throwable failure() {
            return null;
        }

        @Override
        public boolean isEngineThread() {
            return true;
        }

        @Override
        public void execute(Command command) {
            throw new IllegalStateException("not used");
        }
    }

    @Test
    void intervalIsMoreThanNothing() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            assertThatThrownBy(() -> new PeriodicTask(engine, "a test", Duration.ZERO, () -> false))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("interval PT0S");
        }
    }
}
