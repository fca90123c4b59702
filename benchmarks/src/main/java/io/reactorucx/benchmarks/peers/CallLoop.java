package io.reactorucx.benchmarks.peers;

import io.reactorucx.benchmarks.turns.TurnRecorder;
import io.reactorucx.examples.netty.CallChain;
import io.reactorucx.examples.netty.Caller;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Calls of which some are under way on each connection, and each is followed by another as soon as it has ended. All
 * answers come on one thread, that of the client's loop.
 */
final class CallLoop {

    private static final long HIGHEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 3;

    private final List<Caller> callers;
    private final int window;
    private final Histogram times = new Histogram(HIGHEST_NANOS, DIGITS);

    CallLoop(List<Caller> callers, int window) {
        this.callers = callers;
        this.window = window;
    }

    /** Makes calls for some time, and waits for their answers. */
    void run(long nanos) throws InterruptedException, ExecutionException, TimeoutException {
        run(nanos, null);
    }

    /** {@return the figures of all calls in the measured time, or until the standard input ends} */
    Figures measure(PeerOptions options) throws InterruptedException, ExecutionException, TimeoutException {
        TurnRecorder turns = options.turns() ? TurnRecorder.ofStandardStreams() : null;
        ResourceUse before = ResourceUse.now();
        long start = System.nanoTime();
        if (turns != null) {
            turns.start(start);
        }
        run(options.nanos(), turns);
        long nanos = System.nanoTime() - start;
        if (turns != null) {
            turns.endTurn();
        }
        return new Figures(options, times.getTotalCount(), nanos, times, false, ResourceUse.now().since(before));
    }

    private void run(long nanos, @Nullable TurnRecorder turns) throws InterruptedException, ExecutionException,
            TimeoutException {
        times.reset();
        Part part = new Part(System.nanoTime() + nanos, turns, callers.size() * window);
        for (Caller caller : callers) {
            for (int i = 0; i < window; i++) {
                CallChain.start(caller, part);
            }
        }
        // Processes that take turns are stopped for parts of this time.
        part.ended.get(nanos + HIGHEST_NANOS, TimeUnit.NANOSECONDS);
    }

    private final class Part implements CallChain.Observer {

        private final long end;
        private final @Nullable TurnRecorder turns;
        private final AtomicInteger left;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        Part(long end, @Nullable TurnRecorder turns, int chains) {
            this.end = end;
            this.turns = turns;
            this.left = new AtomicInteger(chains);
        }

        @Override
        public boolean answered(long begunNanos, long endedNanos) {
            times.recordValue(Math.clamp(endedNanos - begunNanos, 0, HIGHEST_NANOS));
            if (turns != null) {
                turns.operation(begunNanos, endedNanos);
            }
            if (endedNanos - end < 0 && (turns == null || !turns.isOver())) {
                return true;
            }
            if (left.decrementAndGet() == 0) {
                ended.complete(null);
            }
            return false;
        }

        @Override
        public void failed(Throwable error) {
            ended.completeExceptionally(error);
        }
    }
}
