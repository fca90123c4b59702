package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many threads use one engine: each command runs, or is rejected, exactly once. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@Timeout(600)
class EngineStressTest {

    private static final int THREADS = 4;
    private static final Duration TIMEOUT = TestTime.seconds(60);

    private UcpContext context;

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
        context = UcpContext.create(Fixture.contextConfig("tcp"));
    }

    @AfterEach
    void close() {
        if (context != null) {
            context.close();
        }
    }

    private static EngineConfig config(int queueCapacity) {
        return Fixture.config(WaitStrategy.EVENT, queueCapacity, 16, 16, EngineConfig.DEFAULT_CLOSE_TIMEOUT);
    }

    private static List<Thread> startThreads(int count, IntConsumer body, List<Throwable> thrown) {
        return IntStream.range(0, count).mapToObj(i -> Thread.ofPlatform().uncaughtExceptionHandler((thread, t) -> {
            synchronized (thrown) {
                thrown.add(t);
            }
        }).start(() -> body.accept(i))).toList();
    }

    private static void join(List<Thread> threads, List<Throwable> thrown) throws InterruptedException {
        for (Thread thread : threads) {
            assertThat(thread.join(TIMEOUT)).as("a submitting thread has ended").isTrue();
        }
        assertThat(thrown).isEmpty();
    }

    private static boolean isBusy(Probe probe) {
        return probe.wasRejected() && probe.cause() instanceof UcxException e && e.status() == UcxStatus.BUSY;
    }

    @Test
    void runsEachCommandOnceWhenManyThreadsSubmit() throws InterruptedException {
        int each = 50_000;
        int[] runs = new int[THREADS * each];
        long[] busy = new long[THREADS];
        List<Throwable> thrown = new ArrayList<>();
        try (ProgressEngineGroup group = ProgressEngineGroup.start(context, config(512), 1, Thread::new,
                EngineObserver.NONE)) {
            ProgressEngine engine = group.next();
            join(startThreads(THREADS, thread -> {
                long start = System.nanoTime();
                for (int i = 0; i < each; i++) {
                    int index = thread * each + i;
                    Probe probe = submit(engine, runs, index);
                    while (isBusy(probe)) {
                        busy[thread]++;
                        if (System.nanoTime() - start > TIMEOUT.toNanos()) {
                            throw new AssertionError("the engine does not make room");
                        }
                        Thread.yield();
                        probe = submit(engine, runs, index);
                    }
                }
            }, thrown), thrown);
            await().atMost(TIMEOUT).until(() -> engine.counters().commands() == (long) THREADS * each);
            assertThat(engine.counters().rejectedCommands())
                    .isEqualTo(IntStream.range(0, THREADS).mapToLong(i -> busy[i]).sum());
            assertThat(engine.queuedCommands()).isZero();
        }
        assertThat(IntStream.of(runs).filter(count -> count != 1).count()).as("commands that did not run once")
                .isZero();
    }

    private static Probe submit(ProgressEngine engine, int[] runs, int index) {
        Probe probe = new Probe(worker -> runs[index]++);
        engine.execute(probe);
        return probe;
    }

    @Test
    void runsOrRejectsEachCommandOnceWhenItClosesMeanwhile() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            ProgressEngineGroup group = ProgressEngineGroup.start(context, config(64), 1, Thread::new,
                    EngineObserver.NONE);
            ProgressEngine engine = group.next();
            CountDownLatch underWay = new CountDownLatch(THREADS);
            List<Throwable> thrown = new ArrayList<>();
            List<List<Probe>> submitted = IntStream.range(0, THREADS)
                    .mapToObj(i -> (List<Probe>) new ArrayList<Probe>()).toList();
            List<Thread> threads = startThreads(THREADS, thread -> {
                for (int i = 0; i < 200_000 && !engine.isClosed(); i++) {
                    Probe probe = new Probe();
                    submitted.get(thread).add(probe);
                    engine.execute(probe);
                    if (i == 10) {
                        underWay.countDown();
                    }
                }
            }, thrown);
            assertThat(underWay.await(20, TimeUnit.SECONDS)).isTrue();
            group.close();
            join(threads, thrown);

            assertThat(engine.isClosed()).isTrue();
            assertThat(submitted).allSatisfy(probes -> {
                assertThat(probes).hasSizeGreaterThan(10);
                assertThat(probes.stream().filter(probe -> probe.runs() + probe.rejections() != 1).count())
                        .as("commands that neither ran nor were rejected, or both").isZero();
            });
        }
    }

    /**
     * The narrowest window: the last check of the queue, without a worker that would take time. All threads begin a
     * round together.
     */
    @Test
    void rejectsEachCommandOnceWhenNeverSteppedEngineCloses() throws InterruptedException {
        int rounds = 50_000;
        int submitters = 2;
        Probe[][] probes = new Probe[submitters][rounds];
        ProgressEngine[] engines = new ProgressEngine[rounds];
        for (int round = 0; round < rounds; round++) {
            engines[round] = new ProgressEngine(context, config(2), 0, EngineObserver.NONE);
        }
        AtomicInteger arrived = new AtomicInteger();
        List<Throwable> thrown = new ArrayList<>();
        join(startThreads(submitters + 1, thread -> {
            for (int round = 0; round < rounds; round++) {
                meet(arrived, (submitters + 1) * (round + 1));
                if (thread == submitters) {
                    engines[round].closeAsync();
                } else {
                    probes[thread][round] = new Probe();
                    engines[round].execute(probes[thread][round]);
                }
            }
        }, thrown), thrown);
        for (Probe[] of : probes) {
            assertThat(of).allMatch(probe -> probe.runs() == 0 && probe.rejections() == 1);
        }
        assertThat(engines).allMatch(engine -> engine.isClosed() && engine.queuedCommands() == 0);
    }

    private static void meet(AtomicInteger arrived, int all) {
        arrived.incrementAndGet();
        long start = System.nanoTime();
        for (int spins = 1; arrived.get() < all; spins++) {
            if (spins % 100 == 0) {
                Thread.yield();
                if (System.nanoTime() - start > TIMEOUT.toNanos()) {
                    throw new AssertionError("another thread does not come");
                }
            }
        }
    }
}
