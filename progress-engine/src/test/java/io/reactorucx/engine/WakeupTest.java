package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.UcpContext;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sleeping and being woken. Engines may sleep for an hour here, so that a lost wake-up is a test that runs out of time.
 */
@ExtendWith(NoLeaks.class)
@Timeout(600)
class WakeupTest {

    private static final long TIMEOUT_SECONDS = TestTime.seconds(20).toSeconds();

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
    }

    private static ConditionFactory soon() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(TIMEOUT_SECONDS));
    }

    private static long forever() {
        return System.nanoTime() + Fixture.FOREVER.toNanos();
    }

    /** One engine with a thread of its own. */
    private static final class Running implements AutoCloseable {

        private final UcpContext context = UcpContext.create(Fixture.contextConfig("tcp"));
        private final ProgressEngineGroup group;

        Running(WaitStrategy strategy) {
            group = ProgressEngineGroup.start(context, Fixture.config(strategy), 1, Thread::new, EngineObserver.NONE);
        }

        ProgressEngine engine() {
            return group.next();
        }

        void awaitSleep() {
            soon().until(() -> engine().counters().sleeps() > 0);
        }

        @Override
        public void close() {
            group.close();
            context.close();
        }
    }

    /** Submits a command and waits until it has run. */
    private static void runOne(ProgressEngine engine) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        Probe command = new Probe(worker -> ran.countDown());
        engine.execute(command);
        assertThat(ran.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as("the command has run").isTrue();
        assertThat(command.runs()).isOne();
        assertThat(command.wasRejected()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(value = WaitStrategy.class, names = {"EVENT", "ADAPTIVE"})
    void runsCommandWhenSubmittedWhileItSleeps(WaitStrategy strategy) throws InterruptedException {
        try (Running running = new Running(strategy)) {
            for (int i = 0; i < 20; i++) {
                long slept = running.engine().counters().sleeps();
                runOne(running.engine());
                soon().until(() -> running.engine().counters().sleeps() > slept);
            }
            assertThat(running.engine().counters().commands()).isEqualTo(20);
            assertThat(running.engine().counters().signals()).isPositive();
        }
    }

    @Test
    void runsCommandWithoutSleepingWhenItSpins() throws InterruptedException {
        try (Running running = new Running(WaitStrategy.BUSY_SPIN)) {
            soon().until(() -> running.engine().counters().emptySteps() > 10_000);
            runOne(running.engine());
            assertThat(running.engine().counters().sleeps()).isZero();
            assertThat(running.engine().counters().signals()).isZero();
        }
    }

    @Test
    void spinsAndYieldsBeforeItSleepsWhenAdaptive() {
        try (Fixture fixture = Fixture.overTcp()) {
            int yields = 20;
            int spins = 30;
            ProgressEngine engine = fixture.startedEngine(
                    Fixture.config(WaitStrategy.ADAPTIVE).withIdleRounds(spins, yields));
            int awake = spins + yields;
            for (int i = 0; i < 10_000 && engine.counters().sleeps() == 0; i++) {
                engine.step(true, System.nanoTime());
            }
            assertThat(engine.counters().sleeps()).isOne();
            assertThat(engine.counters().emptySteps()).isGreaterThan(awake);
        }
    }

    @Test
    void closesWhenAsleep() {
        Running running = new Running(WaitStrategy.EVENT);
        running.awaitSleep();
        running.close();
        assertThat(running.engine().isClosed()).isTrue();
        assertThat(running.context.isClosed()).isTrue();
    }

    @Test
    void sendsNoSignalWhenBurstComesWhileItWorks() throws InterruptedException {
        try (Running running = new Running(WaitStrategy.EVENT)) {
            CountDownLatch working = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            running.engine().execute(new Probe(worker -> {
                working.countDown();
                awaitQuietly(goOn);
            }));
            assertThat(working.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
            long signals = running.engine().counters().signals();
            List<Probe> burst = Stream.generate(Probe::new).limit(1_000).toList();
            burst.forEach(running.engine()::execute);
            assertThat(running.engine().counters().signals()).isEqualTo(signals);
            goOn.countDown();
            soon().until(() -> burst.stream().allMatch(probe -> probe.runs() == 1));
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void signalsAtMostOncePerSleepWhenBurstsComeWhileItSleeps() {
        try (Running running = new Running(WaitStrategy.EVENT)) {
            ProgressEngine engine = running.engine();
            int bursts = 50;
            for (int i = 0; i < bursts; i++) {
                long slept = engine.counters().sleeps();
                List<Probe> burst = Stream.generate(Probe::new).limit(200).toList();
                burst.forEach(engine::execute);
                soon().until(() -> burst.stream().allMatch(probe -> probe.runs() == 1));
                soon().until(() -> engine.counters().sleeps() > slept);
            }
            assertThat(engine.counters().commands()).isEqualTo(200L * bursts);
            // Each empty round parks once at most, and a parked engine is signalled once.
            assertThat(engine.counters().signals()).isBetween(1L, engine.counters().emptySteps());
        }
    }

    @Test
    void endsForeignLoopsSleepWhenWokenUp() throws InterruptedException {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.engine(Fixture.config(WaitStrategy.EVENT));
            CountDownLatch wanted = new CountDownLatch(1);
            Thread loop = Thread.ofPlatform().start(() -> {
                while (wanted.getCount() > 0 || !engine.isClosed()) {
                    engine.step(true, forever());
                    if (wanted.getCount() == 0) {
                        engine.closeAsync();
                    }
                }
            });
            soon().until(() -> engine.counters().sleeps() > 0);
            wanted.countDown();
            engine.wakeup();
            loop.join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
            assertThat(loop.isAlive()).as("the loop still waits").isFalse();
            assertThat(engine.isClosed()).isTrue();
        }
    }

    @Test
    void keepsForeignLoopFromSleepingOnceWhenWokenBefore() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine(Fixture.config(WaitStrategy.EVENT));
            sleepOnce(engine);
            long slept = engine.counters().sleeps();
            engine.wakeup();
            Fixture.elsewhere(engine::wakeup);
            assertThat(engine.counters().signals()).as("signals to an engine that is awake").isZero();

            // Returns, although nothing else would wake it for an hour.
            engine.step(true, forever());

            assertThat(engine.counters().sleeps()).isEqualTo(slept);
            sleepOnce(engine);
            assertThat(engine.counters().sleeps()).isEqualTo(slept + 1);
        }
    }

    /** Steps until it has slept once more, for a short time at most. */
    private static void sleepOnce(ProgressEngine engine) {
        long slept = engine.counters().sleeps();
        for (int i = 0; i < 10_000 && engine.counters().sleeps() == slept; i++) {
            engine.step(true, System.nanoTime());
        }
        assertThat(engine.counters().sleeps()).isEqualTo(slept + 1);
    }

    @Test
    void doesNotSleepWhenCommandIsQueuedOrCallerMayNotBlock() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine(Fixture.config(WaitStrategy.EVENT));
            Probe command = new Probe();
            Fixture.elsewhere(() -> engine.execute(command));
            engine.step(true, forever());
            assertThat(command.runs()).isOne();
            Fixture.steps(engine, 100);
            assertThat(engine.counters().sleeps()).isZero();
        }
    }

    @Test
    void toleratesWakeUpsWhileAndAfterItCloses() throws InterruptedException {
        try (UcpContext context = UcpContext.create(Fixture.contextConfig("tcp"))) {
            for (int round = 0; round < 30; round++) {
                ProgressEngineGroup group = ProgressEngineGroup.start(context, Fixture.config(WaitStrategy.EVENT), 1,
                        Thread::new, EngineObserver.NONE);
                ProgressEngine engine = group.next();
                CountDownLatch hammering = new CountDownLatch(1);
                Thread hammer = Thread.ofPlatform().start(() -> {
                    for (int after = 0; after < 1_000; after += engine.isClosed() ? 1 : 0) {
                        engine.wakeup();
                        hammering.countDown();
                    }
                });
                assertThat(hammering.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
                group.close();
                hammer.join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
                assertThat(hammer.isAlive()).isFalse();
                assertThat(context.openWorkers()).isZero();
            }
        }
    }
}
