package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.StackWalker.StackFrame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How operations end: from the loop, once, counted. */
@ExtendWith(NoLeaks.class)
class OperationTest {

    private static final int MAX_IN_FLIGHT = 4;
    private static final int COMMANDS_PER_STEP = 3;

    private Fixture fixture;
    private ProgressEngine engine;

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
        fixture = Fixture.overTcp();
        engine = fixture.startedEngine(Fixture.config(WaitStrategy.EVENT, 64, COMMANDS_PER_STEP, MAX_IN_FLIGHT,
                EngineConfig.DEFAULT_CLOSE_TIMEOUT));
    }

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private List<TestOperation> inlineOperations(int count) {
        return Stream.generate(() -> TestOperation.inline(engine)).limit(count).toList();
    }

    @Test
    void deliversInlineCompletionFromTheLoopOnly() {
        TestOperation own = TestOperation.inline(engine);
        TestOperation queued = TestOperation.inline(engine);
        engine.execute(own);
        Fixture.elsewhere(() -> engine.execute(queued));
        assertThat(own.posts()).isOne();
        assertThat(own.isEnded()).isFalse();

        assertThat(engine.step(false, 0)).isPositive();

        assertThat(own.successes()).isOne();
        assertThat(queued.successes()).isOne();
        Fixture.steps(engine, 3);
        assertThat(own.ends()).isOne();
        assertThat(engine.counters().succeeded(OperationKind.FLUSH)).isEqualTo(2);
    }

    @Test
    void deliversFromTheSameDepthWhenEachSuccessPostsTheNext() {
        int total = 10_000;
        List<Long> depths = new ArrayList<>();
        int[] left = {total};
        Runnable[] postNext = new Runnable[1];
        postNext[0] = () -> {
            depths.add(StackWalker.getInstance().walk(Stream<StackFrame>::count));
            if (--left[0] > 0) {
                engine.execute(TestOperation.inline(engine).then(postNext[0]));
            }
        };
        engine.execute(TestOperation.inline(engine).then(postNext[0]));

        for (int i = 0; i < 2 * total && left[0] > 0; i++) {
            engine.step(false, 0);
        }

        assertThat(depths).hasSize(total);
        assertThat(depths.getLast()).isEqualTo(depths.getFirst());
        assertThat(engine.counters().succeeded(OperationKind.FLUSH)).isEqualTo(total);
    }

    @Test
    void neitherSleepsNorForgetsWhatWasPostedWithinADelivery() {
        TestOperation second = TestOperation.inline(engine);
        engine.execute(TestOperation.inline(engine).then(() -> engine.execute(second)));
        assertThat(engine.step(true, System.nanoTime() + Fixture.FOREVER.toNanos())).isOne();
        assertThat(second.posts()).isOne();
        assertThat(second.isEnded()).isFalse();
        assertThat(engine.step(true, System.nanoTime() + Fixture.FOREVER.toNanos())).isOne();
        assertThat(second.successes()).isOne();
        assertThat(engine.counters().sleeps()).isZero();
    }

    @Test
    void givesUcxItsTurnBetweenDeliveriesOfManyCompletions() {
        ProgressEngine large = fixture.startedEngine();
        int all = 3 * ProgressEngine.DELIVERIES_PER_ROUND + 1;
        List<TestOperation> operations = Stream.generate(() -> TestOperation.inline(large)).limit(all).toList();
        operations.forEach(large::execute);
        for (int delivered = 0; delivered < all; ) {
            int left = all - delivered;
            int expected = Math.min(left, Math.max(ProgressEngine.DELIVERIES_PER_ROUND, left / 2));
            assertThat(large.step(true, System.nanoTime())).isEqualTo(expected);
            delivered += expected;
            assertThat(operations.stream().filter(TestOperation::isEnded)).hasSize(delivered)
                    .isEqualTo(operations.subList(0, delivered));
        }
        assertThat(large.counters().sleeps()).isZero();
    }

    @Test
    void failsFromTheLoopWhenPostThrows() {
        UcxException thrown = new UcxException(UcxStatus.UNREACHABLE, "tag_send", "nobody", "thrown by a test");
        TestOperation exception = new TestOperation(engine, OperationKind.TAG_SEND, 7, (worker, whenDone) -> {
            throw thrown;
        });
        TestOperation error = new TestOperation(engine, OperationKind.TAG_SEND, 7, (worker, whenDone) -> {
            throw new AssertionError("thrown by a test");
        });
        engine.execute(exception);
        engine.execute(error);
        assertThat(exception.isEnded()).isFalse();

        engine.step(false, 0);

        assertThat(exception.error()).isSameAs(thrown);
        assertThat(error.error()).hasMessageContaining("tag_send").hasRootCauseMessage("thrown by a test");
        assertThat(exception.ends() + error.ends()).isEqualTo(2);
        assertThat(engine.counters().failed(OperationKind.TAG_SEND)).isEqualTo(2);
        assertThat(engine.counters().bytes(OperationKind.TAG_SEND)).isZero();
    }

    @Test
    void goesOnWhenOutcomeHandlerThrows() {
        TestOperation throwing = TestOperation.inline(engine).then(() -> {
            throw new IllegalStateException("thrown by a test");
        });
        TestOperation after = TestOperation.inline(engine);
        engine.execute(throwing);
        engine.execute(after);
        engine.step(false, 0);
        assertThat(throwing.successes()).isOne();
        assertThat(after.successes()).isOne();
    }

    @Test
    void failsByStatusWhenUcxEndsItBadly() {
        ProgressEngine peer = fixture.startedEngine();
        UcpEndpoint endpoint = Fixture.connect(peer, engine, ErrorMode.PEER);
        TestOperation tooShort = Fixture.receive(engine, 10, 1);
        TestOperation send = Fixture.send(peer, endpoint, Arena.ofAuto().allocate(11), 1);
        engine.execute(tooShort);
        assertThat(engine.counters().inFlight()).isZero();
        peer.execute(send);

        fixture.stepUntil("both have ended", () -> tooShort.isEnded() && send.isEnded());

        assertThat(tooShort.error()).isInstanceOfSatisfying(UcxException.class, e -> {
            assertThat(e.status()).isEqualTo(UcxStatus.MESSAGE_TRUNCATED);
            assertThat(e.operation()).isEqualTo("tag_recv");
            assertThat(e.peer()).isEqualTo("test peer");
        });
        assertThat(tooShort.ends()).isOne();
        assertThat(send.successes()).isOne();
        assertThat(engine.counters().failed(OperationKind.TAG_RECEIVE)).isOne();
        assertThat(engine.counters().bytes(OperationKind.TAG_RECEIVE)).isZero();
    }

    @Test
    void countsOperationsAndBytesByKind() {
        ProgressEngine peer = fixture.startedEngine();
        UcpEndpoint endpoint = Fixture.connect(peer, engine, ErrorMode.PEER);
        MemorySegment payload = Arena.ofAuto().allocate(100);
        List<TestOperation> receives = IntStream.range(0, 3).mapToObj(i -> Fixture.receive(engine, 100, i)).toList();
        List<TestOperation> sends = IntStream.range(0, 3)
                .mapToObj(i -> Fixture.send(peer, endpoint, payload.asSlice(0, 10L * (i + 1)), i)).toList();
        receives.forEach(engine::execute);
        sends.forEach(peer::execute);

        fixture.stepUntil("all have ended",
                () -> Stream.concat(receives.stream(), sends.stream()).allMatch(TestOperation::isEnded));

        assertThat(receives).extracting(TestOperation::length).containsExactly(10L, 20L, 30L);
        assertThat(receives).extracting(TestOperation::tag).containsExactly(0L, 1L, 2L);
        assertThat(engine.counters().succeeded(OperationKind.TAG_RECEIVE)).isEqualTo(3);
        assertThat(engine.counters().bytes(OperationKind.TAG_RECEIVE)).isEqualTo(60);
        assertThat(engine.counters().succeeded(OperationKind.TAG_SEND)).isZero();
        assertThat(peer.counters().succeeded(OperationKind.TAG_SEND)).isEqualTo(3);
        assertThat(peer.counters().bytes(OperationKind.TAG_SEND)).isEqualTo(60);
        assertThat(peer.counters().failed(OperationKind.TAG_SEND)).isZero();
        assertThat(peer.counters().succeeded(OperationKind.TAG_SEND_SYNC)).isZero();
    }

    @Test
    void refusesMoreInFlightThanAllowedUntilOneHasEnded() {
        List<Long> tokens = new ArrayList<>();
        List<TestOperation> operations = IntStream.range(0, MAX_IN_FLIGHT + 1)
                .mapToObj(i -> receiveKeepingToken(tokens)).toList();
        operations.forEach(engine::execute);
        engine.step(false, 0);

        TestOperation refused = operations.getLast();
        assertThat(refused.error()).isInstanceOfSatisfying(UcxException.class, e -> {
            assertThat(e.status()).isEqualTo(UcxStatus.NO_RESOURCE);
            assertThat(e.isRetryable()).isTrue();
        });
        assertThat(operations.subList(0, MAX_IN_FLIGHT)).noneMatch(TestOperation::isEnded);
        assertThat(engine.counters().inFlight()).isEqualTo(MAX_IN_FLIGHT);

        Fixture.worker(engine).tags().cancel(tokens.getFirst());
        fixture.stepUntil("the first receive is cancelled", operations.getFirst()::isEnded);
        TestOperation retried = receiveKeepingToken(tokens);
        engine.execute(retried);
        Fixture.steps(engine, 3);

        assertThat(tokens).hasSize(MAX_IN_FLIGHT + 1);
        assertThat(retried.isEnded()).isFalse();
        assertThat(engine.counters().inFlight()).isEqualTo(MAX_IN_FLIGHT);
        assertThat(engine.counters().failed(OperationKind.TAG_RECEIVE)).as("one refused, one cancelled").isEqualTo(2);
    }

    private TestOperation receiveKeepingToken(List<Long> tokens) {
        MemorySegment destination = Arena.ofAuto().allocate(8);
        return new TestOperation(engine, OperationKind.TAG_RECEIVE, -1, (worker, whenDone) -> {
            tokens.add(worker.tags().receive(destination, null, 99, -1L, whenDone));
            return false;
        });
    }

    @Test
    void rejectsUnpostedWhenOwnThreadPostsMoreInOneGoThanAllowed() {
        int bound = MAX_IN_FLIGHT + COMMANDS_PER_STEP;
        List<TestOperation> operations = inlineOperations(bound + 2);
        operations.forEach(engine::execute);

        List<TestOperation> tooMany = operations.subList(bound, bound + 2);
        assertThat(tooMany).allSatisfy(operation -> {
            assertThat(operation.posts()).as("a refused operation must not have been done").isZero();
            assertThat(operation.failures()).isOne();
            assertThat(operation.error()).isInstanceOfSatisfying(UcxException.class, e -> {
                assertThat(e.status()).isEqualTo(UcxStatus.BUSY);
                assertThat(e.isRetryable()).isTrue();
            });
        });
        assertThat(engine.counters().rejectedCommands()).isEqualTo(2);
        engine.step(false, 0);
        assertThat(operations.subList(0, bound)).allMatch(operation -> operation.successes() == 1);

        TestOperation later = TestOperation.inline(engine);
        engine.execute(later);
        engine.step(false, 0);
        assertThat(later.successes()).isOne();
    }

    @Test
    void endsOperationRejectedByFullQueueOnTheSubmittingThread() {
        ProgressEngine full =
                fixture.engine(Fixture.config(WaitStrategy.EVENT, 2, 1, 4, EngineConfig.DEFAULT_CLOSE_TIMEOUT));
        full.execute(new Probe());
        full.execute(new Probe());
        TestOperation operation = TestOperation.inline(full);
        full.execute(operation);
        assertThat(operation.failures()).isOne();
        assertThat(operation.posts()).isZero();
        assertThat(full.counters().rejectedCommands()).isOne();
    }

    @Test
    void postsFromCompletionsAndHandlersWithoutTheQueue() {
        ProgressEngine peer = fixture.startedEngine();
        UcpEndpoint endpoint = Fixture.connect(peer, engine, ErrorMode.PEER);
        List<String> seen = new ArrayList<>();
        Consumer<String> note = what -> seen.add(what + (engine.isEngineThread() ? "" : " elsewhere"));
        TestOperation second = Fixture.receive(engine, 8, 2).then(() -> note.accept("second"));
        engine.execute(Fixture.receive(engine, 8, 1).then(() -> {
            note.accept("first");
            engine.execute(second);
            note.accept(second.isEnded() ? "ended inside" : "posted");
        }));
        MemorySegment payload = Arena.ofAuto().allocate(8);
        peer.execute(Fixture.send(peer, endpoint, payload, 2));
        peer.execute(Fixture.send(peer, endpoint, payload, 1));

        fixture.stepUntil("the second receive has ended", second::isEnded);

        assertThat(seen).containsExactly("first", "posted", "second");
        assertThat(second.length()).isEqualTo(8);
        assertThat(engine.counters().commands()).isZero();
        UcpWorker worker = Fixture.worker(engine);
        assertThat(worker.inFlight()).isZero();
    }
}
