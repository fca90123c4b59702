package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.testsupport.NoLeaks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands and rounds of an engine that the test steps by hand. */
@ExtendWith(NoLeaks.class)
class ProgressEngineStepTest {

    private Fixture fixture;

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
        fixture = Fixture.overTcp();
    }

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static EngineConfig queueOf(int capacity, int commandsPerStep) {
        return Fixture.config(WaitStrategy.EVENT, capacity, commandsPerStep, 8, EngineConfig.DEFAULT_CLOSE_TIMEOUT);
    }

    @Test
    void makesWorkerWhenFirstSteppedOnly() {
        List<ProgressEngine> started = new ArrayList<>();
        ProgressEngine engine = fixture.engine(EngineConfig.of(Fixture.NAME), new EngineObserver() {
            @Override
            public void engineStarted(ProgressEngine it) {
                started.add(it);
            }
        });
        assertThat(fixture.context().openWorkers()).isZero();
        assertThat(engine.isEngineThread()).isFalse();

        engine.step(false, 0);
        engine.step(false, 0);

        assertThat(fixture.context().openWorkers()).isOne();
        assertThat(engine.isEngineThread()).isTrue();
        assertThat(started).containsExactly(engine);
        assertThat(engine.counters().steps()).isEqualTo(2);
        assertThat(Fixture.worker(engine).config().name()).isEqualTo(engine.name()).isEqualTo("reactor-ucx-test-0");
    }

    @Test
    void runsQueuedCommandsInOrderAndNotMoreThanAllowedInAStep() {
        ProgressEngine engine = fixture.engine(queueOf(16, 3));
        List<Integer> ran = new ArrayList<>();
        IntStream.range(0, 8).forEach(i -> engine.execute(new Probe(worker -> ran.add(i))));
        assertThat(ran).isEmpty();
        assertThat(engine.queuedCommands()).isEqualTo(8);

        engine.step(false, 0);
        assertThat(ran).containsExactly(0, 1, 2);
        assertThat(engine.queuedCommands()).isEqualTo(5);
        engine.step(false, 0);
        assertThat(ran).containsExactly(0, 1, 2, 3, 4, 5);
        engine.step(false, 0);
        assertThat(ran).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(engine.counters().commands()).isEqualTo(8);
        assertThat(engine.queuedCommands()).isZero();
    }

    @Test
    void runsCommandAtOnceWhenOnItsOwnThread() {
        ProgressEngine engine = fixture.startedEngine();
        Probe own = new Probe();
        Probe foreign = new Probe();

        Fixture.elsewhere(() -> engine.execute(foreign));
        engine.execute(own);

        assertThat(own.runs()).isOne();
        assertThat(foreign.runs()).isZero();
        engine.step(false, 0);
        assertThat(foreign.runs()).isOne();
        assertThat(engine.counters().commands()).as("commands that came through the queue").isOne();
    }

    @Test
    void rejectsCommandAsBusyWhenQueueIsFull() {
        ProgressEngine engine = fixture.engine(queueOf(4, 8));
        List<Probe> taken = Stream.generate(Probe::new).limit(4).toList();
        taken.forEach(engine::execute);
        Probe tooMany = new Probe();
        engine.execute(tooMany);

        assertThat(tooMany.rejections()).isOne();
        assertThat(tooMany.cause()).isInstanceOfSatisfying(UcxException.class, e -> {
            assertThat(e.status()).isEqualTo(UcxStatus.BUSY);
            assertThat(e.isRetryable()).isTrue();
            assertThat(e).hasMessageContaining("4 commands");
        });
        assertThat(engine.counters().rejectedCommands()).isOne();
        engine.step(false, 0);
        assertThat(taken).allMatch(probe -> probe.runs() == 1 && !probe.wasRejected());
        assertThat(tooMany.runs()).isZero();
        Probe later = new Probe();
        Fixture.elsewhere(() -> engine.execute(later));
        engine.step(false, 0);
        assertThat(later.runs()).as("runs of a command after there was room again").isOne();
    }

    @Test
    void rejectsCommandWhenClosed() {
        ProgressEngine engine = fixture.startedEngine();
        fixture.close(engine);
        Probe own = new Probe();
        Probe foreign = new Probe();
        engine.execute(own);
        Fixture.elsewhere(() -> engine.execute(foreign));

        assertThat(List.of(own, foreign)).allSatisfy(probe -> {
            assertThat(probe.runs()).isZero();
            assertThat(probe.rejections()).isOne();
            assertThat(probe.cause()).isInstanceOf(UcxClosedException.class).hasMessageContaining("reactor-ucx-test-0");
        });
        assertThat(engine.counters().rejectedCommands()).isEqualTo(2);
    }

    @Test
    void rejectsQueuedCommandsOnceWhenItCloses() {
        ProgressEngine engine = fixture.startedEngine();
        List<Probe> queued = Stream.generate(Probe::new).limit(20).toList();
        Fixture.elsewhere(() -> queued.forEach(engine::execute));

        fixture.close(engine);

        assertThat(queued).allSatisfy(probe -> {
            assertThat(probe.runs()).isZero();
            assertThat(probe.rejections()).isOne();
            assertThat(probe.cause()).isInstanceOf(UcxClosedException.class);
        });
        assertThat(engine.counters().rejectedCommands()).isEqualTo(20);
        assertThat(engine.queuedCommands()).isZero();
    }

    @Test
    void goesOnWhenCommandThrows() {
        ProgressEngine engine = fixture.engine();
        Probe exception = new Probe(worker -> {
            throw new IllegalStateException("thrown by a test");
        });
        Probe error = new Probe(worker -> {
            throw new StackOverflowError("thrown by a test");
        });
        Probe after = new Probe();
        List.of(exception, error, after).forEach(engine::execute);

        engine.step(false, 0);
        engine.execute(exception);

        assertThat(error.runs()).isOne();
        assertThat(after.runs()).isOne();
        assertThat(exception.runs()).isEqualTo(2);
        assertThat(exception.wasRejected()).isFalse();
    }

    @Test
    void rejectsTheOthersAndClosesWhenOneCommandThrowsAtRejection() {
        ProgressEngine engine = fixture.startedEngine();
        List<Probe> others = Stream.generate(Probe::new).limit(3).toList();
        Fixture.elsewhere(() -> {
            engine.execute(new ThrowingAtRejection());
            others.forEach(engine::execute);
        });

        fixture.close(engine);

        assertThat(others).allMatch(probe -> probe.rejections() == 1);
        assertThat(engine.isClosed()).isTrue();
    }

    @Test
    void closesBeforeItsFirstStepWhenOneCommandThrowsAtRejection() {
        ProgressEngine engine = fixture.engine();
        Probe other = new Probe();
        engine.execute(new ThrowingAtRejection());
        engine.execute(other);

        assertThat(engine.closeAsync()).isCompleted();
        assertThat(other.rejections()).isOne();
    }

    @Test
    void closesWithoutWorkerWhenItWasNeverStepped() {
        List<String> events = new ArrayList<>();
        ProgressEngine engine = fixture.engine(EngineConfig.of(Fixture.NAME), recordingTo(events));
        Probe queued = new Probe();
        engine.execute(queued);

        assertThat(engine.closeAsync()).isCompleted();
        assertThat(engine.closeAsync()).as("a second close").isCompleted();

        assertThat(queued.rejections()).isOne();
        assertThat(engine.isClosed()).isTrue();
        assertThat(engine.step(true, System.nanoTime())).isZero();
        assertThat(fixture.context().openWorkers()).isZero();
        assertThat(events).as("events of an engine that never had a worker").isEmpty();
    }

    @Test
    void endsOnceWhenClosedTwice() {
        List<String> events = new ArrayList<>();
        ProgressEngine engine = fixture.engine(EngineConfig.of(Fixture.NAME), recordingTo(events));
        engine.step(false, 0);
        var first = engine.closeAsync();
        var second = engine.closeAsync();
        assertThat(first).isNotDone();

        fixture.stepUntil("it is closed", engine::isClosed);

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(events).containsExactly("started", "closed");
        assertThat(engine.step(true, System.nanoTime())).isZero();
        Fixture.elsewhere(() -> assertThat(engine.step(true, System.nanoTime())).isZero());
    }

    @Test
    void keepsEngineClosedWhenCallerCompletesItsCopyOfTheFuture() {
        ProgressEngine engine = fixture.startedEngine();
        engine.closeAsync().complete(null);
        assertThat(engine.isClosed()).isFalse();
        assertThat(fixture.context().openWorkers()).isOne();
    }

    @Test
    void goesOnWhenObserverThrows() {
        ProgressEngine engine = fixture.engine(EngineConfig.of(Fixture.NAME), new EngineObserver() {
            @Override
            public void engineStarted(ProgressEngine it) {
                throw new IllegalStateException("thrown by a test");
            }

            @Override
            public void engineClosed(ProgressEngine it) {
                throw new IllegalStateException("thrown by a test");
            }
        });
        Probe command = new Probe();
        engine.execute(command);
        engine.step(false, 0);
        assertThat(command.runs()).isOne();
        fixture.close(engine);
        assertThat(engine.isClosed()).isTrue();
    }

    @Test
    void refusesStepOfAnotherThread() {
        ProgressEngine engine = fixture.startedEngine();
        Fixture.elsewhere(() -> assertThatIllegalStateException().isThrownBy(() -> engine.step(false, 0))
                .withMessageContaining("elsewhere"));
        assertThat(engine.counters().steps()).isOne();
    }

    @Test
    void refusesStepWithinItsOwnStep() {
        ProgressEngine engine = fixture.startedEngine();
        List<Throwable> thrown = new ArrayList<>();
        Probe nested = new Probe(worker -> {
            try {
                engine.step(false, 0);
            } catch (IllegalStateException e) {
                thrown.add(e);
            }
        });
        Fixture.elsewhere(() -> engine.execute(nested));
        engine.step(false, 0);
        assertThat(nested.runs()).isOne();
        assertThat(thrown).hasSize(1);
        engine.step(false, 0);
        assertThat(engine.counters().steps()).as("steps, after one was refused").isEqualTo(3);
    }

    @Test
    void leavesNothingWhenWorkerCannotBeMade() {
        try (UcpContext context = Fixture.withoutOperations()) {
            ProgressEngine engine = new ProgressEngine(context, EngineConfig.of(Fixture.NAME), 0, EngineObserver.NONE);
            Probe queued = new Probe();
            engine.execute(queued);
            assertThatThrownBy(() -> engine.step(false, 0)).isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("nothing can be sent");

            assertThat(context.openWorkers()).isZero();
            assertThat(engine.closeAsync()).isCompleted();
            assertThat(queued.rejections()).isOne();
        }
    }

    @Test
    void needsFeatureWakeupWhenStrategySleeps() {
        UcpConfig withoutWakeup = UcpConfig.builder().features(UcpFeature.AM).transports("tcp").build();
        try (UcpContext context = UcpContext.create(withoutWakeup)) {
            for (WaitStrategy strategy : List.of(WaitStrategy.ADAPTIVE, WaitStrategy.EVENT)) {
                assertThatThrownBy(() -> new ProgressEngine(context, Fixture.config(strategy), 0, EngineObserver.NONE))
                        .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("WAKEUP")
                        .hasMessageContaining(strategy.name());
            }
            ProgressEngine spinning = new ProgressEngine(context, Fixture.config(WaitStrategy.BUSY_SPIN), 0,
                    EngineObserver.NONE);
            spinning.wakeup();
            spinning.step(true, System.nanoTime());
            Probe command = new Probe();
            Fixture.elsewhere(() -> spinning.execute(command));
            spinning.step(true, System.nanoTime());
            assertThat(command.runs()).isOne();
            spinning.closeAsync();
            for (int i = 0; i < 1_000 && !spinning.isClosed(); i++) {
                spinning.step(true, System.nanoTime());
            }
            assertThat(spinning.isClosed()).isTrue();
        }
    }

    /** What ends something runs in the next round, also when the queue of the others is full. */
    @Test
    void runsUrgentCommandsBeforeOthersThatWait() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine(queueOf(64, 4));
            List<String> ran = new ArrayList<>();
            Fixture.elsewhere(() -> {
                for (int i = 0; i < 65; i++) {
                    engine.execute(new Probe(worker -> ran.add("begins")));
                }
                engine.execute(new UrgentProbe(() -> ran.add("ends 1")));
                engine.execute(new UrgentProbe(() -> ran.add("ends 2")));
            });

            assertThat(engine.queuedCommands()).isEqualTo(66);
            engine.step(false, 0);
            assertThat(ran).containsExactly("ends 1", "ends 2", "begins", "begins", "begins", "begins");
            UrgentProbe last = new UrgentProbe(() -> { });
            Fixture.elsewhere(() -> engine.execute(last));
            fixture.close(engine);
            assertThat(last.rejected).isTrue();
            assertThat(ran).hasSize(6);
        }
    }

    /** A thread that cancels and subscribes again finds the old subscription gone. */
    @Test
    void runsUrgentCommandBeforeWhatItsThreadQueuesBehindIt() {
        try (Fixture fixture = Fixture.overTcp()) {
            ProgressEngine engine = fixture.startedEngine(queueOf(64, 8));
            List<String> ran = new ArrayList<>();
            Fixture.elsewhere(() -> {
                engine.execute(new Probe(worker -> {
                    ran.add("first");
                    Fixture.elsewhere(() -> {
                        engine.execute(new UrgentProbe(() -> ran.add("urgent")));
                        engine.execute(new Probe(behind -> ran.add("behind")));
                    });
                }));
                engine.execute(new Probe(worker -> ran.add("second")));
            });

            engine.step(false, 0);

            assertThat(ran).containsExactly("first", "urgent", "second", "behind");
        }
    }

    private static final class UrgentProbe implements Command {

        private final Runnable action;
        private boolean rejected;

        UrgentProbe(Runnable action) {
            this.action = action;
        }

        @Override
        public void run(UcpWorker worker) {
            action.run();
        }

        @Override
        public void reject(RuntimeException cause) {
            rejected = true;
        }

        @Override
        public boolean isUrgent() {
            return true;
        }
    }

    private static EngineObserver recordingTo(List<String> events) {
        return new EngineObserver() {
            @Override
            public void engineStarted(ProgressEngine engine) {
                events.add("started");
            }

            @Override
            public void engineClosed(ProgressEngine engine) {
                events.add("closed");
            }
        };
    }

    private static final class ThrowingAtRejection implements Command {
        @Override
        public void run(UcpWorker worker) {
            throw new AssertionError("to be rejected");
        }

        @Override
        public void reject(RuntimeException cause) {
            throw new IllegalStateException("thrown by a test");
        }
    }
}
