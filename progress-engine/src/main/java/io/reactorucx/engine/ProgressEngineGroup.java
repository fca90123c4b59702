package io.reactorucx.engine;

import io.reactorucx.core.UcpContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Engines over one context, each with a thread of its own.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> ends with {@link #closeAsync()}; the context is the caller's.
 * <b>Errors:</b> when a thread or a worker cannot be made, all engines are closed before {@link #start} throws. An
 * engine that fails closes alone, see {@link ProgressEngine#failure()}. An interrupt of one of the threads is logged
 * and has no effect.
 */
public final class ProgressEngineGroup implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ProgressEngineGroup.class);

    private final List<ProgressEngine> engines;
    private final CompletableFuture<Void> threadsEnded;
    private final Duration closeTimeout;
    private final AtomicInteger next = new AtomicInteger();

    private ProgressEngineGroup(List<ProgressEngine> engines, CompletableFuture<Void> threadsEnded,
            Duration closeTimeout) {
        this.engines = engines;
        this.threadsEnded = threadsEnded;
        this.closeTimeout = closeTimeout;
    }

    /**
     * Starts engines and waits until each has its worker.
     *
     * @param context what the workers are made from
     * @param config limits and habits of each engine
     * @param count how many, at least 1
     * @param threads makes the threads
     * @param observer notified of rare events
     * @return the group, to be closed by the caller
     */
    public static ProgressEngineGroup start(UcpContext context, EngineConfig config, int count, ThreadFactory threads,
            EngineObserver observer) {
        Objects.requireNonNull(threads, "threads");
        if (count < 1) {
            throw new IllegalArgumentException("count " + count + ": must be at least 1");
        }
        List<ProgressEngine> engines = new ArrayList<>();
        List<EngineAgent> agents = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ProgressEngine engine = new ProgressEngine(context, config, i, observer);
            engines.add(engine);
            agents.add(new EngineAgent(engine));
        }
        CompletableFuture<?>[] ends = agents.stream().map(agent -> agent.ended).toArray(CompletableFuture[]::new);
        ProgressEngineGroup group = new ProgressEngineGroup(List.copyOf(engines), CompletableFuture.allOf(ends),
                config.closeTimeout());
        try {
            agents.forEach(agent -> agent.startOn(threads));
            agents.forEach(agent -> agent.started.join());
        } catch (RuntimeException | Error e) {
            agents.stream().filter(agent -> !agent.hasThread).forEach(agent -> agent.ended.complete(null));
            group.close();
            if (e instanceof CompletionException && e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
        return group;
    }

    /** {@return the engines} */
    public List<ProgressEngine> engines() {
        return engines;
    }

    /** {@return one engine after the other} */
    public ProgressEngine next() {
        return engines.get(Math.floorMod(next.getAndIncrement(), engines.size()));
    }

    /**
     * Closes all engines.
     *
     * @return completes when their threads have nothing left to do
     */
    public CompletableFuture<Void> closeAsync() {
        engines.forEach(ProgressEngine::closeAsync);
        return threadsEnded.copy();
    }

    /** Closes all engines and waits for them; not from one of their threads. */
    @Override
    public void close() {
        if (engines.stream().anyMatch(ProgressEngine::isEngineThread)) {
            throw new IllegalStateException("close: called on the thread of an engine, which it would wait for; use"
                    + " closeAsync");
        }
        try {
            closeAsync().get(closeTimeout.toMillis() + TimeUnit.SECONDS.toMillis(5), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.error("Engines did not end", e);
        }
    }

    /**
     * Lets Agrona's runner drive one engine. The runner ends its thread without {@link #onClose()} when an
     * {@link Error} reaches it, so none does.
     */
    private static final class EngineAgent implements Agent {

        /** Memory that is freed when the engine fails, so that its end can be signalled when there is none left. */
        private static final int RESERVE_BYTES = 256 << 10;

        private final ProgressEngine engine;
        private final CompletableFuture<Void> started = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        /**
         * No deadline besides the configured longest sleep: reading the clock in each round would cost a third of an
         * idle round.
         */
        private final long never = System.nanoTime() + Long.MAX_VALUE / 2;
        private byte @Nullable [] reserve = new byte[RESERVE_BYTES];
        private final FailedRounds failedRounds = new FailedRounds();
        private boolean hasThread;

        EngineAgent(ProgressEngine engine) {
            this.engine = engine;
        }

        void startOn(ThreadFactory threads) {
            AgentRunner.startOnThread(new AgentRunner(NoOpIdleStrategy.INSTANCE, this::failed, null, this),
                    runner -> threads.newThread(() -> run(runner)));
            hasThread = true;
        }

        /** Runs the runner, and ends the engine if the runner has not done so, whatever it threw. */
        private void run(Runnable runner) {
            try {
                runner.run();
            } finally {
                onClose();
            }
        }

        @Override
        public void onStart() {
            try {
                engine.step(false, 0);
                started.complete(null);
            } catch (RuntimeException | Error e) {
                started.completeExceptionally(e);
            }
        }

        @Override
        public int doWork() {
            if (engine.isClosed() || started.isCompletedExceptionally()) {
                throw new AgentTerminationException("closed");
            }
            if (Thread.interrupted()) {
                LOG.warn("[{}] the thread was interrupted, which does not stop an engine; close it", engine.name());
            }
            step(true, never);
            // Not 0: after 0 the runner would end on an interrupt and leave the worker behind.
            return 1;
        }

        private void step(boolean mayBlock, long deadlineNanos) {
            try {
                engine.step(mayBlock, deadlineNanos);
            } catch (Throwable t) {
                reserve = null;
                failedRounds.add(engine, t);
            }
            if (reserve != null && engine.failure() != null) {
                reserve = null;
            }
        }

        private void failed(Throwable t) {
            if (!(t instanceof AgentTerminationException)) {
                failedRounds.add(engine, t);
            }
        }

        @Override
        public void onClose() {
            if (ended.isDone()) {
                return;
            }
            try {
                close();
                // Whatever has ended the runner: the worker has to be closed on this thread, and commands must not wait
                // for ever.
                while (!engine.isClosed()) {
                    step(false, 0);
                }
            } finally {
                ended.complete(null);
            }
        }

        private void close() {
            try {
                engine.closeAsync();
            } catch (Throwable t) {
                failedRounds.add(engine, t);
            }
        }

        @Override
        public String roleName() {
            return engine.name();
        }
    }
}
