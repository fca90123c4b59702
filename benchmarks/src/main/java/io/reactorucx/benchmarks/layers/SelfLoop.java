package io.reactorucx.benchmarks.layers;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.EngineObserver;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.engine.WaitStrategy;

/** Runs a worker that sends to itself. Thread: the thread that created it. */
public abstract class SelfLoop implements AutoCloseable {

    private final UcpContext context;

    private SelfLoop(UcpContext context) {
        this.context = context;
    }

    /**
     * Creates a loop.
     *
     * @param layer {@code core} for the worker alone, {@code engine} for one in an engine
     * @param test {@code am} or {@code tag}
     * @return the loop, to be closed by the same thread
     */
    public static SelfLoop of(String layer, String test) {
        UcpContext context = UcpContext.create(UcpConfig.builder().features(UcpFeature.AM, UcpFeature.TAG).build());
        boolean tags = test.equals("tag");
        return layer.equals("core") ? new OfWorker(context, tags) : new OfEngine(context, tags);
    }

    /** Sends a message of 8 bytes and waits for its arrival. */
    public abstract void message();

    /** Runs one iteration, which is idle unless a message was sent. */
    public abstract void turn();

    @Override
    public void close() {
        context.close();
    }

    private static final class OfWorker extends SelfLoop {

        private final UcpWorker worker;
        private final SelfMessages messages;

        OfWorker(UcpContext context, boolean tags) {
            super(context);
            worker = context.createWorker(UcpWorkerConfig.of("layers"));
            messages = new SelfMessages(worker, tags);
        }

        @Override
        public void message() {
            messages.send();
            while (!messages.hasArrived()) {
                worker.progress();
            }
        }

        @Override
        public void turn() {
            worker.progress();
        }

        @Override
        public void close() {
            messages.close(this::turn);
            worker.close();
            super.close();
        }
    }

    private static final class OfEngine extends SelfLoop {

        private final ProgressEngine engine;
        private final MessageCommand command;

        OfEngine(UcpContext context, boolean tags) {
            super(context);
            engine = new ProgressEngine(context, EngineConfig.of("layers").withWaitStrategy(WaitStrategy.BUSY_SPIN), 0,
                    EngineObserver.NONE);
            command = new MessageCommand(tags);
        }

        @Override
        public void message() {
            engine.execute(command);
            do {
                engine.step(false, 0);
            } while (!command.hasArrived());
        }

        @Override
        public void turn() {
            engine.step(false, 0);
        }

        @Override
        public void close() {
            command.close(this::turn);
            engine.closeAsync();
            while (!engine.isClosed()) {
                engine.step(false, 0);
            }
            super.close();
        }
    }
}
