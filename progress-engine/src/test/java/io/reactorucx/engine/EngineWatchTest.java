package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.application.Application;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.EngineHealth.State;
import io.reactorucx.engine.EngineHealth.UnderWay;
import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a watch sees of engines that run, sleep, are blocked and close. */
@ExtendWith(NoLeaks.class)
@Timeout(600)
class EngineWatchTest {

    private static final Duration THRESHOLD = Duration.ofMillis(100);
    private static final long HALF_NANOS = THRESHOLD.toNanos() / 2;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final EngineObserver observer = new EngineObserver() {
        @Override
        public void engineStalled(ProgressEngine engine, EngineStall stall) {
            events.add("stalled " + engine.name());
        }

        @Override
        public void stallEnded(ProgressEngine engine, EngineStall stall) {
            events.add("went on after " + stall.duration().toMillis());
        }
    };

    @BeforeEach
    void assumeUcx() {
        Fixture.assumeUcx();
    }

    private static void look(StallDetector detector, int times) {
        for (int i = 0; i < times; i++) {
            detector.look(HALF_NANOS);
        }
    }

    private StallDetector detector(ProgressEngine engine) {
        return new StallDetector(engine, THRESHOLD, observer, 2);
    }

    @Test
    void engineThatMakesNoRoundForTheThresholdHasStalled() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            StallDetector detector = detector(engine);

            look(detector, 2);
            assertThat(detector.current()).as("after half of the threshold").isNull();
            look(detector, 3);

            EngineStall stall = Objects.requireNonNull(detector.current());
            assertThat(stall.duration()).isEqualTo(THRESHOLD.multipliedBy(2));
            assertThat(detector.stalls()).isEqualTo(1);
            assertThat(detector.longestNanos()).isEqualTo(2 * THRESHOLD.toNanos());
            engine.step(false, 0);
            look(detector, 1);
            assertThat(detector.current()).isNull();
            assertThat(detector.stalls()).isEqualTo(1);
            assertThat(events).containsExactly("stalled " + engine.name(), "went on after 200");
        }
    }

    @Test
    void handlerCalledInARoundThatHasStalledAlreadyIsAStallOfItsOwn() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            StallDetector detector = detector(engine);

            look(detector, 3);
            assertThat(Objects.requireNonNull(detector.current()).isOfEngine()).isTrue();
            Application.call(() -> look(detector, 2));
            assertThat(detector.current()).as("before the handler has taken the threshold").isNull();
            Application.call(() -> look(detector, 2));

            EngineStall stall = Objects.requireNonNull(detector.current());
            assertThat(stall.handler()).isEqualTo(Application.class.getName() + ".call");
            assertThat(stall.duration()).isEqualTo(THRESHOLD.plusNanos(HALF_NANOS));
            assertThat(detector.byName()).isEqualTo(Map.of(EngineStall.ENGINE, 1L, stall.name(), 1L));
            assertThat(events).containsExactly("stalled " + engine.name(), "went on after 100",
                    "stalled " + engine.name());
        }
    }

    @Test
    void engineThatMakesRoundsHasNotStalled() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine();
            StallDetector detector = detector(engine);

            for (int i = 0; i < 10; i++) {
                look(detector, 2);
                engine.step(false, 0);
            }

            assertThat(detector.stalls()).isZero();
        }
    }

    @Test
    void engineThatSleepsOrHasNotStartedHasNotStalled() {
        try (Fixture fixture = Fixture.overTcp()) {
            StallDetector fresh = detector(fixture.engine());
            look(fresh, 10);
            assertThat(fresh.stalls()).isZero();

            ProgressEngine engine = fixture.startedEngine();
            StallDetector detector = detector(engine);
            await().pollInSameThread().until(() -> {
                engine.step(false, 0);
                return engine.park();
            });
            look(detector, 10);
            engine.unpark();

            assertThat(detector.stalls()).isZero();
            look(detector, 4);
            assertThat(detector.stalls()).as("it is awake, and makes no round").isEqualTo(1);
        }
    }

    @Test
    void stackOfASleepingEngineIsARest() {
        AtomicReference<Thread> thread = new AtomicReference<>();
        try (UcpContext context = UcpContext.create(Fixture.contextConfig("tcp"))) {
            ProgressEngineGroup group = ProgressEngineGroup.start(context, Fixture.config(WaitStrategy.EVENT), 1,
                    task -> {
                        thread.set(new Thread(task));
                        return thread.get();
                    }, observer);
            try {
                await().pollInterval(Duration.ofMillis(20)).until(() ->
                        EngineStall.of(thread.get().getStackTrace(), THRESHOLD).isWithin(EngineSleep.class));
            } finally {
                group.close();
            }
        }
    }

    @Test
    void lateLooksCountForLessOrNotAtAll() {
        long interval = HALF_NANOS;

        assertThat(EngineWatch.counted(interval, interval)).isEqualTo(interval);
        assertThat(EngineWatch.counted(interval + interval / 4, interval)).isEqualTo(interval + interval / 4);
        assertThat(EngineWatch.counted(2 * interval, interval)).isEqualTo(interval + interval / 2);
        assertThat(EngineWatch.counted(2 * interval + 1, interval)).as("the process did not run").isZero();
        assertThat(EngineWatch.counted(Long.MAX_VALUE, interval)).isZero();
    }

    @Test
    void namesBeyondTheLimitAreCountedTogether() {
        try (Fixture fixture = Fixture.overTcp()) {
            StallDetector detector = detector(fixture.engine());

            for (int i = 0; i < 10; i++) {
                detector.count(new EngineStall("request", "handler" + i % 5, THRESHOLD, List.of()));
            }

            assertThat(detector.stalls()).isEqualTo(10);
            assertThat(detector.byName()).isEqualTo(Map.of("request handler0", 2L, "request handler1", 2L,
                    EngineWatch.OTHERS, 6L));
        }
    }

    /** Blocks until it is told to go on. */
    private static final class BlockingCommand implements Command {

        private final CountDownLatch blocks = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public void run(UcpWorker worker) {
            blocks.countDown();
            awaitUninterruptibly(goOn);
        }

        @Override
        public void reject(RuntimeException cause) {
            blocks.countDown();
        }

        private static void awaitUninterruptibly(CountDownLatch latch) {
            try {
                assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void healthShowsEachState() {
        try (UcpContext context = UcpContext.create(Fixture.contextConfig("tcp"))) {
            ProgressEngineGroup group = ProgressEngineGroup.start(context, Fixture.config(WaitStrategy.ADAPTIVE), 2,
                    Thread::new, observer);
            EngineWatch watch = EngineWatch.start(group.engines(), Duration.ofMillis(20), Thread::new, observer);
            try {
                UnderWay request = new UnderWay("request", "peer", Duration.ofSeconds(7));
                assertThat(watch.health(0, request)).satisfies(health -> {
                    assertThat(health.engine()).isEqualTo(group.engines().getFirst().name());
                    assertThat(health.state()).isEqualTo(State.RUNNING);
                    assertThat(health.oldest()).isEqualTo(request);
                    assertThat(health.failure()).isNull();
                });
                BlockingCommand command = new BlockingCommand();
                group.engines().getFirst().execute(command);
                BlockingCommand.awaitUninterruptibly(command.blocks);

                await().until(() -> watch.health(0, request).state() == State.STALLED);

                EngineHealth stalled = watch.health(0, request);
                // At least one: a busy machine can stop a thread for as long before the command does.
                long stalls = stalled.stalls();
                assertThat(stalls).isPositive();
                assertThat(Objects.requireNonNull(stalled.oldest()).operation()).as("a command of this library")
                        .isEqualTo("engine");
                assertThat(stalled.stallsByName()).containsExactly(
                        Map.entry(Objects.requireNonNull(stalled.oldest()).operation(), stalls));
                assertThat(stalled.longestStall()).isGreaterThanOrEqualTo(Duration.ofMillis(20));
                assertThat(watch.health(1, null)).extracting(EngineHealth::state, EngineHealth::oldest)
                        .containsExactly(State.RUNNING, null);

                command.goOn.countDown();
                await().until(() -> watch.health(0, null).state() == State.RUNNING);
                assertThat(watch.health(0, null).stalls()).isGreaterThanOrEqualTo(stalls);
            } finally {
                group.close();
                watch.close();
            }
            assertThat(watch.health(0, null).state()).isEqualTo(State.CLOSED);
            assertThat(watch.health(1, new UnderWay("request", null, Duration.ZERO))).satisfies(health -> {
                assertThat(health.state()).isEqualTo(State.CLOSED);
                assertThat(health.oldest()).isNull();
            });
        }
    }

    @Test
    void watchWithoutAThresholdHasNoThread() {
        EngineWatch watch = EngineWatch.start(List.of(), Duration.ZERO, task -> {
            throw new AssertionError("a thread was made");
        }, observer);

        watch.close();

        assertThat(events).isEmpty();
    }

    @Test
    void thresholdOutOfRangeIsRefused() {
        for (Duration wrong : List.of(Duration.ofNanos(-1), Duration.ofNanos(1), Duration.ofHours(2))) {
            assertThatThrownBy(() -> EngineWatch.start(List.of(), wrong, Thread::new, observer))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("stallThreshold " + wrong);
        }
    }
}
