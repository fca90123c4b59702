package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Starting and ending engines with threads of their own. */
@ExtendWith(NoLeaks.class)
@Timeout(600)
class ProgressEngineGroupTest {

    private static final EngineConfig CONFIG = Fixture.config(WaitStrategy.EVENT);

    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final EngineObserver observer = new EngineObserver() {
        @Override
        public void engineStarted(ProgressEngine engine) {
            events.add("started " + engine.name());
        }

        @Override
        public void engineFailed(ProgressEngine engine, Throwable cause) {
            events.add("failed " + engine.name() + " " + cause.getMessage() + " " + engine.isEngineThread());
        }

        @Override
        public void engineClosed(ProgressEngine engine) {
            events.add("closed " + engine.name());
        }
    };
    private UcpContext context;

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
        context = UcpContext.create(Fixture.contextConfig("tcp"));
    }

    @AfterEach
    void close() {
        if (context != null) {
            assertNothingIsLeft();
            context.close();
        }
    }

    private void assertNothingIsLeft() {
        assertThat(context.openWorkers()).as("workers that are left").isZero();
        await().untilAsserted(() -> assertThat(threads).as("threads that are left").noneMatch(Thread::isAlive));
    }

    private Thread thread(Runnable task) {
        Thread thread = new Thread(task);
        threads.add(thread);
        return thread;
    }

    private ProgressEngineGroup start(int count) {
        return ProgressEngineGroup.start(context, CONFIG, count, this::thread, observer);
    }

    private static <T> CompletableFuture<T> call(ProgressEngine engine, Callable<T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        engine.execute(new Probe(worker -> {
            try {
                result.complete(action.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        }));
        return result;
    }

    @Test
    void givesEachEngineItsThreadAndWorker() {
        try (ProgressEngineGroup group = start(3)) {
            assertThat(context.openWorkers()).isEqualTo(3);
            assertThat(group.engines()).extracting(ProgressEngine::name)
                    .containsExactly("reactor-ucx-test-0", "reactor-ucx-test-1",
                    "reactor-ucx-test-2");
            for (ProgressEngine engine : group.engines()) {
                assertThat(call(engine, () -> Thread.currentThread().getName()).join()).isEqualTo(engine.name());
                assertThat(call(engine, engine::isEngineThread).join()).isTrue();
                assertThat(engine.isEngineThread()).isFalse();
            }
            assertThat(threads).hasSize(3);
        }
        assertThat(events).hasSize(6).contains("started reactor-ucx-test-2", "closed reactor-ucx-test-2");
    }

    @Test
    void givesEnginesInTurn() {
        try (ProgressEngineGroup group = start(2)) {
            List<ProgressEngine> given = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                given.add(group.next());
            }
            ProgressEngine first = group.engines().get(0);
            ProgressEngine second = group.engines().get(1);
            assertThat(given).containsExactly(first, second, first, second);
        }
    }

    @Test
    void refusesToCloseFromEnginesThread() {
        try (ProgressEngineGroup group = start(2)) {
            CompletableFuture<Object> closed = call(group.engines().get(1), Executors.callable(group::close));
            assertThatThrownBy(closed::join).hasCauseInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closeAsync");
            assertThat(group.engines()).noneMatch(ProgressEngine::isClosed);
            assertThat(call(group.engines().get(0), () -> 1).join()).as("it still runs commands").isOne();
        }
    }

    @Test
    void commandWithoutMemoryEndsItsEngineAndTheOthersGoOn() throws Exception {
        ProgressEngineGroup group = start(2);
        ProgressEngine first = group.engines().getFirst();
        Probe after = new Probe();
        first.execute(new Probe(worker -> {
            first.execute(after);
            throw new OutOfMemoryError("planted by a test");
        }));

        await().until(first::isClosed);

        assertThat(first.failure()).isInstanceOf(OutOfMemoryError.class);
        assertThat(events).contains("failed reactor-ucx-test-0 planted by a test true", "closed reactor-ucx-test-0");
        Probe late = new Probe();
        first.execute(late);
        assertThat(late.cause()).isInstanceOf(UcxClosedException.class).hasMessageContaining("reactor-ucx-test-0")
                .hasMessageContaining("planted by a test").hasCauseInstanceOf(OutOfMemoryError.class);
        assertThat(group.engines().get(1).isClosed()).isFalse();
        assertThat(call(group.engines().get(1), () -> 1).join()).as("the other engine runs commands").isOne();
        group.close();
        assertThat(group.engines().get(1).failure()).isNull();
    }

    @Test
    void errorOutOfARoundEndsTheEngine() throws Exception {
        ProgressEngineGroup group = start(1);
        ProgressEngine engine = group.engines().getFirst();
        // A completion that the worker calls within its progress: what it throws is thrown by the round.
        engine.execute(new Probe(worker -> {
            worker.tags().receive(Arena.ofAuto().allocate(8), null, 1, -1, (status, length, tag) -> {
                throw new OutOfMemoryError("planted by a test");
            });
            worker.tags().cancelAll();
        }));

        await().until(engine::isClosed);

        assertThat(engine.failure()).hasMessage("planted by a test");
        group.closeAsync().get(20, TimeUnit.SECONDS);
    }

    @Test
    void closesWhenAskedFromEnginesThread() throws Exception {
        ProgressEngineGroup group = start(2);
        CompletableFuture<CompletableFuture<Void>> asked = call(group.engines().get(1), group::closeAsync);
        asked.get(20, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
        assertThat(group.engines()).allMatch(ProgressEngine::isClosed);
        assertNothingIsLeft();
        group.close();
        assertThat(events).filteredOn(event -> event.startsWith("closed")).hasSize(2);
    }

    @Test
    void rejectsCommandsAfterClose() {
        ProgressEngineGroup group = start(1);
        group.close();
        Probe late = new Probe();
        group.next().execute(late);
        assertThat(late.rejections()).isOne();
    }

    @Test
    void goesOnWhenItsThreadIsInterrupted() throws Exception {
        try (ProgressEngineGroup group = start(1)) {
            ProgressEngine engine = group.next();
            Thread thread = call(engine, Thread::currentThread).get(20, TimeUnit.SECONDS);
            call(engine, () -> {
                Thread.currentThread().interrupt();
                return null;
            }).get(20, TimeUnit.SECONDS);
            for (int i = 0; i < 100; i++) {
                thread.interrupt();
                assertThat(call(engine, () -> 1).get(20, TimeUnit.SECONDS)).isOne();
            }
            assertThat(engine.isClosed()).isFalse();
        }
    }

    @Test
    void failsToStartWhenThreadFactoryThrows() {
        IllegalStateException thrown = new IllegalStateException("thrown by a test");
        ThreadFactory second = task -> {
            if (threads.size() == 1) {
                await().until(() -> events.size() == 1);
                throw thrown;
            }
            return thread(task);
        };
        assertThatThrownBy(() -> ProgressEngineGroup.start(context, CONFIG, 3, second, observer)).isSameAs(thrown);
        assertNothingIsLeft();
        assertThat(threads).hasSize(1);
        assertThat(events).containsExactly("started reactor-ucx-test-0", "closed reactor-ucx-test-0");
    }

    @Test
    void failsToStartWhenThreadFactoryMakesNone() {
        assertThatThrownBy(() -> ProgressEngineGroup.start(context, CONFIG, 2,
                task -> threads.isEmpty() ? thread(task) : null, observer))
                .isInstanceOf(NullPointerException.class);
        assertNothingIsLeft();
        assertThat(threads).hasSize(1);
    }

    @Test
    void failsToStartWhenWorkersCannotBeMade() {
        try (UcpContext mute = Fixture.withoutOperations()) {
            assertThatThrownBy(() -> ProgressEngineGroup.start(mute, CONFIG, 2, this::thread, observer))
                    .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("nothing can be sent");
            assertThat(mute.openWorkers()).isZero();
        }
        assertNothingIsLeft();
        assertThat(threads).hasSize(2);
        assertThat(events).isEmpty();
    }

    @Test
    void failsToStartWithoutFeatureThatItsStrategyNeeds() {
        UcpConfig config = UcpConfig.builder().features(UcpFeature.AM).transports("tcp").build();
        try (UcpContext withoutWakeup = UcpContext.create(config)) {
            assertThatThrownBy(() -> ProgressEngineGroup.start(withoutWakeup, EngineConfig.of(Fixture.NAME), 1,
                    this::thread, observer))
                    .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("WAKEUP")
                    .hasMessageContaining("BUSY_SPIN");
            assertThat(threads).isEmpty();
        }
    }

    @Test
    void failsToStartWithoutEngines() {
        assertThatIllegalArgumentException().isThrownBy(() -> start(0)).withMessageContaining("count 0");
    }

    @Test
    void ownsItsThreadsUntilTheyHaveEnded() throws Exception {
        ProgressEngineGroup group = start(1);
        CompletableFuture<Void> closed = group.closeAsync();
        closed.cancel(false);
        try {
            group.closeAsync().get(20, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("cancelling one future kept the other from completing", e);
        }
        assertThat(group.engines()).allMatch(ProgressEngine::isClosed);
    }
}
