package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.core.Ucx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;

/**
 * A context, and engines over it that the test's thread steps. Closing it closes them and checks that nothing is left.
 */
final class Fixture implements AutoCloseable {

    /** Prefix of the names of engines and their threads; the check for leaks knows it. */
    static final String NAME = "reactor-ucx-test";
    /**
     * A message that is offered, not sent along, so that its send waits for a matching receive; newer versions need a
     * setting for that.
     */
    static final int RENDEZVOUS_BYTES = 1 << 20;
    /** Longer than any test takes. */
    static final Duration FOREVER = Duration.ofHours(1);

    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** A busy kernel may take as long to deliver what one socket has sent to another, whatever number of rounds. */
    private static final long KERNEL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final int contextsBefore;
    private final UcpContext context;
    private final List<ProgressEngine> engines = new ArrayList<>();
    private long maxRounds = Long.MAX_VALUE;

    private Fixture(UcpConfig config) {
        contextsBefore = UcpContext.openContexts();
        context = UcpContext.create(config);
    }

    static void assumeUcx() {
        Assumptions.assumeTrue(Ucx.isAvailable(), () -> "UCX is not available: " + Ucx.unavailabilityCause());
    }

    static Fixture overTcp() {
        return over("tcp");
    }

    static Fixture over(String... transports) {
        return new Fixture(contextConfig(transports));
    }

    static UcpConfig contextConfig(String... transports) {
        UcpConfig.Builder config = UcpConfig.builder().transports(transports).feature(UcpFeature.STREAM)
                .rendezvousThreshold(RENDEZVOUS_BYTES / 2);
        if (Arrays.asList(transports).contains("posix")) {
            config.setting("POSIX_ERROR_HANDLING", "y");
        }
        return config.build();
    }

    /** A context in which no worker can be made. */
    static UcpContext withoutOperations() {
        return UcpContext.create(UcpConfig.builder().transports("tcp").features(UcpFeature.WAKEUP).build());
    }

    static EngineConfig config(WaitStrategy strategy, int queueCapacity, int commandsPerStep, int maxInFlight,
            Duration closeTimeout) {
        return new EngineConfig(NAME, strategy, queueCapacity, commandsPerStep, EngineConfig.DEFAULT_SPINS,
                EngineConfig.DEFAULT_YIELDS, FOREVER, closeTimeout, maxInFlight,
                UcpWorkerConfig.DEFAULT_MAX_INLINE_BYTES, UcpWorkerConfig.DEFAULT_MAX_PENDING_CONNECTIONS);
    }

    static EngineConfig config(WaitStrategy strategy) {
        return config(strategy, EngineConfig.DEFAULT_COMMAND_QUEUE_CAPACITY, EngineConfig.DEFAULT_COMMANDS_PER_STEP,
                UcpWorkerConfig.DEFAULT_MAX_IN_FLIGHT, EngineConfig.DEFAULT_CLOSE_TIMEOUT);
    }

    /** Limits each wait to so many rounds of all engines, for tests in which nothing but these and the kernel works. */
    Fixture withMaxRounds(long rounds) {
        maxRounds = rounds;
        return this;
    }

    UcpContext context() {
        return context;
    }

    /** An engine that has not made a step. */
    ProgressEngine engine(EngineConfig config, EngineObserver observer) {
        ProgressEngine engine = new ProgressEngine(context, config, engines.size(), observer);
        engines.add(engine);
        return engine;
    }

    ProgressEngine engine(EngineConfig config) {
        return engine(config, EngineObserver.NONE);
    }

    ProgressEngine engine() {
        return engine(EngineConfig.of(NAME));
    }

    /** An engine that has made its first step. */
    ProgressEngine startedEngine(EngineConfig config) {
        ProgressEngine engine = engine(config);
        engine.step(false, 0);
        return engine;
    }

    ProgressEngine startedEngine() {
        return startedEngine(EngineConfig.of(NAME));
    }

    /** The worker of an engine that has started. */
    static UcpWorker worker(ProgressEngine engine) {
        UcpWorker[] worker = new UcpWorker[1];
        engine.execute(new Probe(it -> worker[0] = it));
        assertThat(worker[0]).as("worker of the engine " + engine.name()).isNotNull();
        return worker[0];
    }

    /** Returns whether the worker of an engine that has started is gone. */
    static boolean isClosed(ProgressEngine engine) {
        boolean[] ran = new boolean[1];
        engine.execute(new Probe(worker -> ran[0] = true));
        return !ran[0];
    }

    /** Connects by the worker's address. */
    static UcpEndpoint connect(ProgressEngine from, ProgressEngine to, ErrorMode errorMode) {
        byte[] address = worker(to).address();
        return worker(from).connect(address, new EndpointOptions(errorMode, to.name(), (endpoint, status) -> { }));
    }

    /** A send that stays in flight until a receive of the peer matches it. */
    static TestOperation rendezvousSend(ProgressEngine engine, UcpEndpoint endpoint, long tag) {
        MemorySegment payload = Arena.ofAuto().allocate(RENDEZVOUS_BYTES);
        return new TestOperation(engine, OperationKind.TAG_SEND, RENDEZVOUS_BYTES,
                (worker, whenDone) -> endpoint.tagSend(payload, null, tag, whenDone));
    }

    static TestOperation send(ProgressEngine engine, UcpEndpoint endpoint, MemorySegment payload, long tag) {
        return new TestOperation(engine, OperationKind.TAG_SEND, payload.byteSize(),
                (worker, whenDone) -> endpoint.tagSend(payload, null, tag, whenDone));
    }

    static TestOperation receive(ProgressEngine engine, long bytes, long tag) {
        MemorySegment destination = Arena.ofAuto().allocate(bytes);
        return new TestOperation(engine, OperationKind.TAG_RECEIVE, -1, (worker, whenDone) -> {
            worker.tags().receive(destination, null, tag, -1L, whenDone);
            return false;
        });
    }

    /** Steps all engines that have started until a condition holds. */
    void stepUntil(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        for (long round = 0; !condition.getAsBoolean(); round++) {
            long nanos = System.nanoTime() - start;
            if (nanos > KERNEL_NANOS) {
                assertThat(round).as("rounds until %s", what).isLessThan(maxRounds);
            }
            assertThat(nanos).as("time in ns spent on waiting until %s", what).isLessThan(TIMEOUT_NANOS);
            engines.stream().filter(ProgressEngine::isEngineThread).forEach(engine -> engine.step(false, 0));
        }
    }

    /** Steps an engine often enough for what is in flight to be noticed. */
    static void steps(ProgressEngine engine, int count) {
        for (int i = 0; i < count; i++) {
            engine.step(false, 0);
        }
    }

    /** Closes one engine and steps it until it has ended. */
    void close(ProgressEngine engine) {
        engine.closeAsync();
        stepUntil(engine.name() + " is closed", engine::isClosed);
    }

    /** Runs an action on another thread and waits for its end. */
    static void elsewhere(Runnable action) {
        Throwable[] thrown = new Throwable[1];
        Thread thread = Thread.ofPlatform().name("elsewhere").uncaughtExceptionHandler((of, t) -> thrown[0] = t)
                .start(action);
        try {
            thread.join(TimeUnit.NANOSECONDS.toMillis(TIMEOUT_NANOS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(thread.isAlive()).as("the other thread still runs").isFalse();
        assertThat(thrown[0]).as("thrown on the other thread").isNull();
    }

    @Override
    public void close() {
        engines.forEach(ProgressEngine::closeAsync);
        stepUntil("all engines are closed", () -> engines.stream().allMatch(ProgressEngine::isClosed));
        assertThat(context.openWorkers()).as("workers that are left").isZero();
        context.close();
        assertThat(UcpContext.openContexts()).as("contexts that are left").isEqualTo(contextsBefore);
    }
}
