package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactorucx.testsupport.NoLeaks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An engine that a loop with sleeps of its own steps. */
@ExtendWith(NoLeaks.class)
@org.junit.jupiter.api.Timeout(60)
class ForeignLoopTest {

    private Fixture fixture;
    private ProgressEngine engine;

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
        fixture = Fixture.overTcp();
        engine = fixture.startedEngine();
    }

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    /** Steps until the engine may sleep: UCX has events of its own at first. */
    private void park() {
        while (!engine.park()) {
            engine.step(false, 0);
        }
    }

    @Test
    void commandOfAnotherThreadEndsTheSleep() {
        Probe command = new Probe();
        park();
        assertThat(engine.eventFd()).isPositive();
        long signals = engine.counters().signals();

        Fixture.elsewhere(() -> engine.execute(command));

        assertThat(engine.counters().signals()).isEqualTo(signals + 1);
        // The worker waits for its own descriptor, as a loop does; without the signal the test runs out of time.
        Fixture.worker(engine).await(Fixture.FOREVER.toNanos());
        engine.unpark();
        engine.step(false, 0);
        assertThat(command.runs()).isOne();
    }

    @Test
    void doesNotSleepWithACommandThatWaits() {
        park();
        engine.unpark();
        Probe command = new Probe();
        Fixture.elsewhere(() -> engine.execute(command));

        assertThat(engine.park()).isFalse();

        engine.step(false, 0);
        assertThat(command.runs()).isOne();
    }

    @Test
    void awakeEngineIsNotSignalled() {
        park();
        engine.unpark();
        long signals = engine.counters().signals();

        Fixture.elsewhere(() -> engine.execute(new Probe()));

        assertThat(engine.counters().signals()).isEqualTo(signals);
    }

    @Test
    void sleepsNoLongerThanUntilTheNextTimeout() {
        long longest = engine.config().maxSleep().toNanos();
        assertThat(engine.longestSleepNanos()).isEqualTo(longest);

        engine.timer().schedule(longest / 2, () -> { });

        assertThat(engine.longestSleepNanos()).isPositive().isLessThanOrEqualTo(longest / 2);
    }

    @Test
    void onlyTheThreadThatStepsMayPark() throws InterruptedException {
        Throwable[] thrown = new Throwable[1];
        Thread other = new Thread(() -> {
            try {
                engine.park();
            } catch (IllegalStateException e) {
                thrown[0] = e;
            }
        });
        other.start();
        other.join();

        assertThat(thrown[0]).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("park: only for the thread that steps the engine " + engine.name());
    }

    @Test
    void commandMayNotPark() {
        Throwable[] thrown = new Throwable[1];
        Fixture.elsewhere(() -> engine.execute(new Probe(worker -> {
            try {
                engine.park();
            } catch (IllegalStateException e) {
                thrown[0] = e;
            }
        })));

        engine.step(false, 0);

        assertThat(thrown[0]).hasMessageContaining("park: called from a command");
    }

    @Test
    void engineBeforeItsFirstStepCannotPark() {
        ProgressEngine unstarted = fixture.engine(EngineConfig.of(Fixture.NAME));

        assertThatIllegalStateException().isThrownBy(unstarted::park).withMessageContaining("after its first step");
    }

    @Test
    void wrongRoundFailsTheEngineInPlaceOfTheLoop() {
        Throwable[] thrown = new Throwable[1];
        // A round within a round is what a round throws.
        Fixture.elsewhere(() -> engine.execute(new Probe(worker -> thrown[0] = new Error("" + engine.stepOrFail()))));

        engine.step(false, 0);

        assertThat(thrown[0]).hasMessage("1");
        assertThat(engine.failure()).isInstanceOf(IllegalStateException.class);
        while (!engine.isClosed()) {
            engine.stepOrFail();
        }
    }
}
