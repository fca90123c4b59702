package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The threads that may use a worker: one thread, or each thread that has entered it. */
@ExtendWith(NoLeaks.class)
class WorkerModesTest {

    private UcpContext context;

    @BeforeEach
    void createContext() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        context = UcpContext.create(UcpConfig.builder().name("modes").transports("tcp", "self")
                .features(UcpFeature.AM, UcpFeature.STREAM, UcpFeature.WAKEUP).build());
    }

    @AfterEach
    void closeContext() {
        if (context != null) {
            context.close();
        }
    }

    private UcpWorker worker(UcxThreadMode mode) {
        assumeTrue(mode.compareTo(Ucx.maxThreadMode()) <= 0, "the library allows at most " + Ucx.maxThreadMode());
        return context.createWorker(
                UcpWorkerConfig.of("w").with(UcpWorkerParameters.builder().threadMode(mode).build()));
    }

    @ParameterizedTest
    @EnumSource(UcxThreadMode.class)
    void grantsTheModeThatWasAskedFor(UcxThreadMode mode) {
        UcpWorker worker = worker(mode);
        assertThat(worker.attributes().threadMode()).isEqualTo(mode);
        assertThat(worker.attributes().name()).isEqualTo("w");
        assertThat(worker.attributes().maxInfoBytes()).isPositive();
        try (UcpWorker.Entry entry = worker.enter()) {
            assertThat(worker.maxHeaderBytes()).isEqualTo(worker.attributes().maxHeaderBytes()).isPositive();
            worker.progress();
            worker.close();
            assertThat(entry).isNotNull();
        }
        assertThat(worker.isClosed()).isTrue();
    }

    @Test
    void letsOnlyItsThreadEnterSingleWorker() {
        UcpWorker worker = worker(UcxThreadMode.SINGLE);
        assertThat(BadInput.thrownOnAnotherThread(worker::enter)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it belongs to the thread");
        worker.enter().close();
        worker.close();
    }

    @ParameterizedTest
    @EnumSource(value = UcxThreadMode.class, names = {"SERIALIZED", "MULTI"})
    void refusesUseWithoutEntry(UcxThreadMode mode) {
        UcpWorker worker = worker(mode);
        assertThatThrownBy(worker::progress).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has not entered it")
                .hasMessageContaining(mode.name());
        try (UcpWorker.Entry entry = worker.enter()) {
            try (UcpWorker.Entry nested = worker.enter()) {
                assertThat(nested).isNotSameAs(entry);
            }
            worker.progress();
            assertThat(BadInput.thrownOnAnotherThread(worker::progress)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has not entered it");
            assertThat(BadInput.thrownOnAnotherThread(entry::close)).isInstanceOf(IllegalStateException.class);
            worker.progress();
        }
        assertThatThrownBy(worker::close).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has not entered it");
        try (UcpWorker.Entry entry = worker.enter()) {
            assertThat(entry).isNotNull();
            worker.close();
        }
    }

    @Test
    void refusesSecondThreadInSerializedWorker() {
        UcpWorker worker = worker(UcxThreadMode.SERIALIZED);
        try (UcpWorker.Entry entry = worker.enter()) {
            assertThat(entry).isNotNull();
            assertThat(BadInput.thrownOnAnotherThread(worker::enter)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another thread is in it");
        }
        assertThat(BadInput.thrownOnAnotherThread(() -> {
            try (UcpWorker.Entry entry = worker.enter()) {
                assertThat(entry).isNotNull();
                worker.close();
            }
            throw new UnsupportedOperationException("done");
        })).hasMessage("done");
    }

    @Test
    void letsThreadsOfMultiWorkerWaitForEachOther() {
        UcpWorker worker = worker(UcxThreadMode.MULTI);
        CompletableFuture<Integer> progressed = new CompletableFuture<>();
        try (UcpWorker.Entry entry = worker.enter()) {
            assertThat(entry).isNotNull();
            Thread other = Thread.ofPlatform().start(() -> {
                try (UcpWorker.Entry late = worker.enter()) {
                    assertThat(late).isNotNull();
                    progressed.complete(worker.progress());
                } catch (Throwable t) {
                    progressed.completeExceptionally(t);
                }
            });
            Pair.until(worker::progress, () -> other.getState() == Thread.State.WAITING,
                    "a thread that waits to enter");
            assertThat(progressed).as("progress of a thread that could not enter").isNotDone();
        }
        assertThat(progressed).succeedsWithin(Duration.ofSeconds(10));
        try (UcpWorker.Entry entry = worker.enter()) {
            assertThat(entry).isNotNull();
            worker.close();
        }
    }

    /** Many threads send to a worker and receive from it, each message exactly once. */
    @ParameterizedTest
    @EnumSource(value = UcxThreadMode.class, names = {"SERIALIZED", "MULTI"})
    void carriesMessagesOfManyThreads(UcxThreadMode mode) throws InterruptedException {
        int threads = 4;
        int each = 250;
        UcpWorker worker = worker(mode);
        AtomicInteger received = new AtomicInteger();
        UcpEndpoint endpoint;
        try (UcpWorker.Entry entry = worker.enter()) {
            assertThat(entry).isNotNull();
            worker.activeMessages().handler(1, message -> received.incrementAndGet());
            endpoint = worker.connect(worker.address(),
                    new EndpointOptions(ErrorMode.NONE, "itself", (failed, status) -> { }));
        }
        Object turn = new Object();
        AtomicInteger done = new AtomicInteger();
        List<Throwable> failures = new ArrayList<>();
        Runnable sender = () -> {
            MemorySegment payload = Arena.ofAuto().allocate(64);
            for (int i = 0; i < each; i++) {
                if (endpoint.amSend(1, Pair.EMPTY, payload, null, AmProtocol.AUTO, false,
                        (status, length, tag) -> done.incrementAndGet())) {
                    done.incrementAndGet();
                }
                worker.progress();
            }
        };
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(Thread.ofPlatform().start(() -> {
                try {
                    if (mode == UcxThreadMode.SERIALIZED) {
                        synchronized (turn) {
                            try (UcpWorker.Entry entry = worker.enter()) {
                                assertThat(entry).isNotNull();
                                sender.run();
                            }
                        }
                    } else {
                        try (UcpWorker.Entry entry = worker.enter()) {
                            assertThat(entry).isNotNull();
                            sender.run();
                        }
                    }
                } catch (Throwable t) {
                    synchronized (failures) {
                        failures.add(t);
                    }
                }
            }));
        }
        for (Thread thread : all) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        try (UcpWorker.Entry entry = worker.enter()) {
            assertThat(entry).isNotNull();
            Pair.until(worker::progress, () -> done.get() == threads * each && received.get() == threads * each,
                    "all messages");
            Outcome closed = Outcome.of(whenDone -> endpoint.close(CloseMode.FLUSH, whenDone));
            Pair.until(worker::progress, () -> closed.isDone() && worker.inFlight() == 0, "a closed endpoint");
            worker.close();
        }
    }

    /** A thread borrows data of a stream; another one reads it and closes the endpoint, or gives it back first. */
    @ParameterizedTest
    @EnumSource(value = UcxThreadMode.class, names = {"SERIALIZED", "MULTI"})
    void takesStreamDataBackFromAnyThreadThatHasEntered(UcxThreadMode mode) {
        UcpWorker worker = worker(mode);
        for (boolean givenBack : new boolean[] {false, true}) {
            try (UcpWorker.Entry entry = worker.enter()) {
                assertThat(entry).isNotNull();
                UcpEndpoint endpoint = worker.connect(worker.address(),
                        new EndpointOptions(ErrorMode.NONE, "itself", (failed, status) -> { }));
                Outcome sent = Outcome.of(done -> endpoint.stream().send(Pair.pattern(100), null, done));
                Pair.until(worker::progress, () -> sent.isDone() && worker.streams().poll().contains(endpoint),
                        "the bytes");
            }
            UcpEndpoint endpoint = onAnotherThread(worker, () -> worker.endpoints().getFirst());
            UcpStreamData data = onAnotherThread(worker, () -> endpoint.stream().borrow().orElseThrow());
            assertThatThrownBy(data::close).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has not entered it");
            try (UcpWorker.Entry entry = worker.enter()) {
                assertThat(entry).isNotNull();
                assertThat(data.segment().mismatch(Pair.pattern(100))).as("data after a close that was refused")
                        .isEqualTo(-1);
                assertThat(endpoint.stream().lent()).isOne();
                if (givenBack) {
                    data.close();
                    assertThat(endpoint.stream().lent()).isZero();
                }
                Outcome closed = Outcome.of(whenDone -> endpoint.close(CloseMode.FLUSH, whenDone));
                Pair.until(worker::progress, () -> closed.isDone() && worker.inFlight() == 0, "a closed endpoint");
                assertThat(endpoint.stream().lent()).isZero();
            }
        }
        try (UcpWorker.Entry entry = worker.enter()) {
            assertThat(entry).isNotNull();
            worker.close();
        }
    }

    @ParameterizedTest
    @EnumSource(value = UcxThreadMode.class, names = {"SERIALIZED", "MULTI"})
    void refusesToLeaveFromWithinACompletion(UcxThreadMode mode) {
        UcpWorker worker = worker(mode);
        try (UcpWorker.Entry entry = worker.enter()) {
            List<Throwable> thrown = new ArrayList<>();
            UcpEndpoint endpoint = worker.connect(worker.address(),
                    new EndpointOptions(ErrorMode.NONE, "itself", (failed, status) -> { }));
            UcpData payload = UcpData.of(Pair.pattern(100));
            worker.activeMessages().handler(1, message -> {
                worker.enter().close();
                thrown.add(catchThrowable(entry::close));
            });
            endpoint.dataOperations().amSend(1, Pair.EMPTY, payload, Set.of(), Set.of(), (status, length, tag) -> { });
            Pair.until(worker::progress, () -> !thrown.isEmpty() && worker.inFlight() == 0, "the message");
            assertThat(thrown).singleElement().isInstanceOf(IllegalStateException.class);
            assertThat(thrown.getFirst()).hasMessageContaining("left from a completion or handler");
            Outcome closed = Outcome.of(whenDone -> endpoint.close(CloseMode.FLUSH, whenDone));
            Pair.until(worker::progress, () -> closed.isDone() && worker.inFlight() == 0, "a closed endpoint");
            worker.close();
        }
    }

    private static <T> T onAnotherThread(UcpWorker worker, Supplier<T> action) {
        return CompletableFuture.supplyAsync(() -> {
            try (UcpWorker.Entry entry = worker.enter()) {
                assertThat(entry).isNotNull();
                return action.get();
            }
        }, task -> Thread.ofPlatform().start(task)).join();
    }

    @Test
    void refusesModeThatTheContextCannotGive() {
        UcpConfig config = UcpConfig.builder().name("own").transports("tcp").workersShared(false).build();
        try (UcpContext own = UcpContext.create(config)) {
            for (UcxThreadMode mode : List.of(UcxThreadMode.SERIALIZED, UcxThreadMode.MULTI)) {
                UcpWorkerConfig worker = UcpWorkerConfig.of("w")
                        .with(UcpWorkerParameters.builder().threadMode(mode).build());
                assertThatThrownBy(() -> own.createWorker(worker)).isInstanceOf(UcxUnsupportedException.class)
                        .hasMessageContaining("workersShared(false)");
            }
            own.createWorker(UcpWorkerConfig.of("w")).close();
        }
    }
}
