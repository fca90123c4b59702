package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The Java heap that engine and core allocate for an operation once the code is compiled, by the JVM's own count for
 * the thread.
 */
class AllocationTest {

    @RegisterExtension
    static final NoLeaks NO_LEAKS = new NoLeaks();

    private static final com.sun.management.ThreadMXBean THREADS =
            ManagementFactory.getPlatformMXBean(com.sun.management.ThreadMXBean.class);
    /** A look at the clock allocates some bytes, which is far less for each of many operations. */
    private static final double NOTHING = 1;
    private static final int CHUNK = 20_000;
    private static final int AT_ONCE = 16;
    /** Between two looks at the clock, which allocate. */
    private static final int ROUNDS = 5_000;
    /** Longest time until the code is compiled, on a busy machine. */
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    @BeforeAll
    static void ucx() {
        Fixture.assumeUcx();
    }

    /**
     * Begins again when it has ended. An operation serves once; this one keeps nothing of a success, so that none is
     * made for each.
     */
    private static final class Repeated extends Operation {

        private final ProgressEngine engine;
        private final OperationKind kind;
        private final TestOperation.Post post;
        private int left;
        private int successes;

        Repeated(ProgressEngine engine, OperationKind kind, TestOperation.Post post) {
            this.engine = engine;
            this.kind = kind;
            this.post = post;
        }

        void begin(int times) {
            left = times;
            engine().execute(this);
        }

        @Override
        protected ProgressEngine engine() {
            return engine;
        }

        @Override
        public OperationKind kind() {
            return kind;
        }

        @Override
        protected boolean post(UcpWorker worker) {
            return post.post(worker, this);
        }

        @Override
        protected void succeeded(long receivedLength, long tag) {
            successes++;
            if (--left > 0) {
                engine().execute(this);
            }
        }

        @Override
        protected void failed(RuntimeException error) {
            throw error;
        }

        @Override
        protected long bytes(long receivedLength) {
            return 0;
        }

        @Override
        protected @Nullable String peer() {
            return null;
        }
    }

    /** The fewest bytes for each operation of a chunk, measured until they are within a limit. */
    private static double least(Repeated[] operations, double limit, ProgressEngine... engines) {
        double least = Double.MAX_VALUE;
        long begun = System.nanoTime();
        while (least >= limit && System.nanoTime() - begun < TIMEOUT_NANOS) {
            int before = successes(operations);
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            for (Repeated each : operations) {
                each.begin(CHUNK / operations.length);
            }
            while (successes(operations) < before + CHUNK) {
                assertThat(System.nanoTime() - begun).as("time in ns").isLessThan(2 * TIMEOUT_NANOS);
                for (int i = 0; i < ROUNDS; i++) {
                    step(engines);
                }
            }
            least = Math.min(least, (THREADS.getCurrentThreadAllocatedBytes() - allocated) / (double) CHUNK);
        }
        return least;
    }

    private static void step(ProgressEngine[] engines) {
        for (ProgressEngine engine : engines) {
            engine.step(false, 0);
        }
    }

    private static int successes(Repeated[] operations) {
        int sum = 0;
        for (Repeated each : operations) {
            sum += each.successes;
        }
        return sum;
    }

    @Test
    void taggedMessagesAllocateNothing() {
        try (Fixture fixture = Fixture.over("posix", "tcp")) {
            ProgressEngine engine = fixture.startedEngine();
            ProgressEngine peer = fixture.startedEngine();
            UcpEndpoint endpoint = Fixture.connect(engine, peer, ErrorMode.PEER);
            MemorySegment memory = Arena.ofAuto().allocate(Long.BYTES);
            Repeated[] operations = new Repeated[2 * AT_ONCE];
            for (int i = 0; i < AT_ONCE; i++) {
                operations[2 * i] = new Repeated(peer, OperationKind.TAG_RECEIVE, (worker, whenDone) -> {
                    worker.tags().receive(memory, null, 1, -1L, whenDone);
                    return false;
                });
                operations[2 * i + 1] = new Repeated(engine, OperationKind.TAG_SEND,
                        (worker, whenDone) -> endpoint.tagSend(memory, null, 1, whenDone));
            }

            assertThat(least(operations, NOTHING, engine, peer)).as("bytes for each operation").isLessThan(NOTHING);
        }
    }

    @Test
    void activeMessagesAllocateNothing() {
        try (Fixture fixture = Fixture.over("posix", "tcp")) {
            ProgressEngine engine = fixture.startedEngine();
            ProgressEngine peer = fixture.startedEngine();
            UcpEndpoint endpoint = Fixture.connect(engine, peer, ErrorMode.PEER);
            MemorySegment memory = Arena.ofAuto().allocate(Long.BYTES);
            Fixture.worker(peer).activeMessages().handler(1, message -> { });
            Repeated[] operations = new Repeated[AT_ONCE];
            for (int i = 0; i < AT_ONCE; i++) {
                operations[i] = new Repeated(engine, OperationKind.AM_SEND, (worker, whenDone) ->
                        endpoint.amSend(1, MemorySegment.NULL, memory, null, AmProtocol.AUTO, false, whenDone));
            }

            assertThat(least(operations, NOTHING, engine, peer)).as("bytes for each message").isLessThan(NOTHING);
        }
    }
}
