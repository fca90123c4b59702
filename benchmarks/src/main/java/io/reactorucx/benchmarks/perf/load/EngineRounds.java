package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxResources;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Operation;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import org.jspecify.annotations.Nullable;

/** Ticks in each iteration of an engine that never sleeps, so that no second thread needs a core. */
public final class EngineRounds implements Pace {

    private final UcxResources resources;
    private @Nullable Round round;

    public EngineRounds(UcxResources resources) {
        this.resources = resources;
    }

    @Override
    public void start(Runnable tick, long startNanos, double perSecond) {
        ProgressEngine engine = resources.engines().stream().filter(ProgressEngine::isEngineThread).findFirst()
                .orElseThrow();
        round = new Round(engine, tick);
        engine.execute(round);
    }

    @Override
    public void stop() {
        if (round != null) {
            round.stopped = true;
        }
    }

    /**
     * An operation that completes when it is posted; the engine reports it in its next iteration. It is stateless, so
     * one object serves all iterations.
     */
    private static final class Round extends Operation {

        private final ProgressEngine engine;
        private final Runnable tick;
        private boolean stopped;

        Round(ProgressEngine engine, Runnable tick) {
            this.engine = engine;
            this.tick = tick;
        }

        @Override
        protected ProgressEngine engine() {
            return engine;
        }

        @Override
        public OperationKind kind() {
            return OperationKind.FLUSH;
        }

        @Override
        protected boolean post(UcpWorker worker) {
            return true;
        }

        @Override
        protected void succeeded(long receivedLength, long tag) {
            tick.run();
            if (!stopped) {
                engine().execute(this);
            }
        }

        @Override
        protected void failed(RuntimeException error) {
            stopped = true;
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
}
