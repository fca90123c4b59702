package io.reactorucx.engine;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns one worker and drives it, round by round: commands of other threads, then UCX, then what came of both.
 *
 * <p>A {@link ProgressEngineGroup} gives it a thread of its own; any other loop may drive it by {@link #step} instead, as tests do.
 *
 * <p><b>Threading:</b> {@link #step} by one thread for life; {@link #execute}, {@link #wakeup}, {@link #closeAsync} by any.
 * <b>Ownership:</b> the worker is made by the first step and destroyed by the last one after {@link #closeAsync}.
 * <b>Errors:</b> a command that cannot be taken is rejected, with BUSY when the queue is full.
 */
public final class ProgressEngine {

    private static final Logger LOG = LoggerFactory.getLogger(ProgressEngine.class);

    private final UcpContext context;
    private final EngineConfig config;
    private final int index;
    private final EngineObserver observer;
    private final MessagePassingQueue<Command> commands;
    private final Queue<Operation> ended = new ArrayDeque<>();
    private final ParkingState parking = new ParkingState();
    private final EngineCounters counters = new EngineCounters();
    private final EngineClosing closing;
    private final MessagePassingQueue.Consumer<Command> runner = this::run;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile boolean closeRequested;
    private volatile @Nullable Thread thread;
    private @Nullable UcpWorker worker;
    private int idleRounds;

    /**
     * An engine that has to be stepped.
     *
     * @param context what its worker is made from
     * @param config limits and habits
     * @param index its number among its sisters, for names
     * @param observer told of rare events
     */
    public ProgressEngine(UcpContext context, EngineConfig config, int index, EngineObserver observer) {
        this.context = Objects.requireNonNull(context, "context");
        this.config = Objects.requireNonNull(config, "config");
        this.index = index;
        this.observer = Objects.requireNonNull(observer, "observer");
        this.commands = new MpscVarHandleArrayQueue<>(config.commandQueueCapacity());
        this.closing = new EngineClosing(config.closeTimeout());
    }

    /**
     * One round. The first one makes the worker, which belongs to the calling thread from then on.
     *
     * @param mayBlock whether to wait by the configured strategy when there was nothing to do
     * @param deadlineNanos latest end of that wait, as {@link System#nanoTime()}
     * @return how much was done, 0 for nothing
     */
    public int step(boolean mayBlock, long deadlineNanos) {
        UcpWorker owned = worker;
        if (owned == null) {
            owned = open();
        }
        if (owned.isClosed()) {
            return 0;
        }
        if (closeRequested) {
            return closeStep(owned);
        }
        int ran = commands.drain(runner, config.commandsPerStep());
        int work = ran + owned.progress() + deliverEnded();
        counters.stepped(work, ran, owned.inFlight(), owned.heldMessages());
        if (work > 0) {
            idleRounds = 0;
        } else if (mayBlock) {
            idle(owned, deadlineNanos);
        }
        return work;
    }

    private synchronized UcpWorker open() {
        if (closeRequested) {
            throw new UcxClosedException("step", "the engine " + name());
        }
        UcpWorker made = context.createWorker(config.workerConfig(index));
        worker = made;
        thread = Thread.currentThread();
        observer.engineStarted(this);
        return made;
    }

    private void run(Command command) {
        try {
            command.run(Objects.requireNonNull(worker));
        } catch (Throwable t) {
            LOG.error("[{}] a command threw", name(), t);
        }
    }

    private int deliverEnded() {
        int count = ended.size();
        for (int i = 0; i < count; i++) {
            try {
                Objects.requireNonNull(ended.poll()).deliver();
            } catch (Throwable t) {
                LOG.error("[{}] an operation threw while it was ended", name(), t);
            }
        }
        return count;
    }

    private void idle(UcpWorker owned, long deadlineNanos) {
        idleRounds++;
        boolean adaptive = config.waitStrategy() == WaitStrategy.ADAPTIVE;
        if (config.waitStrategy() == WaitStrategy.BUSY_SPIN || (adaptive && idleRounds <= config.spins())) {
            Thread.onSpinWait();
        } else if (adaptive && idleRounds <= config.spins() + config.yields()) {
            Thread.yield();
        } else {
            sleep(owned, deadlineNanos);
        }
    }

    private void sleep(UcpWorker owned, long deadlineNanos) {
        if (!parking.park()) {
            return;
        }
        // From here on whoever queues a command signals the worker; look at the queue once more for those who came before.
        if (commands.isEmpty() && !closeRequested && owned.arm()) {
            counters.slept();
            owned.await(Math.min(config.maxSleep().toNanos(), deadlineNanos - System.nanoTime()));
        }
        parking.unpark();
    }

    /**
     * Runs a command: at once when called by the engine's own thread, else by its next round.
     *
     * @param command what to do
     */
    public void execute(Command command) {
        Objects.requireNonNull(command, "command");
        if (isEngineThread() && worker != null && !worker.isClosed()) {
            run(command);
        } else if (closeRequested) {
            counters.rejectedCommand();
            command.reject(new UcxClosedException("submit", "the engine " + name()));
        } else if (!commands.offer(command)) {
            counters.rejectedCommand();
            command.reject(new UcxException(UcxStatus.BUSY, "submit", null,
                    "the queue of " + config.commandQueueCapacity() + " commands of the engine " + name() + " is full"));
        } else if (closeRequested && closed.isDone()) {
            rejectQueued();
        } else if (parking.wakeIfParked()) {
            signal();
        }
    }

    /** Ends a step that waits, or keeps the next one from waiting. Any thread. */
    public void wakeup() {
        if (parking.wake()) {
            signal();
        }
    }

    private void signal() {
        UcpWorker sleeping = worker;
        if (sleeping != null) {
            counters.signalled();
            sleeping.signal();
        }
    }

    /** Lets the loop end an operation that was done, or refused, within the call that posted it. */
    void deliverLater(Operation operation) {
        if (ended.size() >= config.maxInFlight() + config.commandsPerStep()) {
            // Only a loop on the engine's own thread gets here: it posts without ever letting the engine go on.
            operation.reject(new UcxException(UcxStatus.BUSY, operation.kind().ucxName(), null,
                    "the engine's thread has posted " + ended.size() + " operations in one go, which wait to be delivered"));
            return;
        }
        ended.add(operation);
    }

    /**
     * Begins to close: what waits is rejected, listeners and endpoints are closed, by force where that is possible. The loop that steps the
     * engine has to go on until {@link #isClosed()}.
     *
     * @return completes when the worker is gone
     */
    public CompletableFuture<Void> closeAsync() {
        boolean neverStarted;
        synchronized (this) {
            closeRequested = true;
            neverStarted = thread == null;
        }
        if (neverStarted) {
            finish();
        } else {
            wakeup();
        }
        return closed.copy();
    }

    private int closeStep(UcpWorker owned) {
        rejectQueued();
        int work = owned.progress() + deliverEnded();
        if (ended.isEmpty() && closing.step(owned)) {
            finish();
        }
        counters.stepped(work, 0, owned.isClosed() ? 0 : owned.inFlight(), owned.isClosed() ? 0 : owned.heldMessages());
        return work;
    }

    private void finish() {
        rejectQueued();
        observer.engineClosed(this);
        closed.complete(null);
        rejectQueued();
    }

    private synchronized void rejectQueued() {
        commands.drain(command -> {
            counters.rejectedCommand();
            command.reject(new UcxClosedException("submit", "the engine " + name()));
        });
    }

    /** {@return whether the worker is gone} */
    public boolean isClosed() {
        return closed.isDone();
    }

    /** {@return whether the calling thread is the one that steps this engine} */
    public boolean isEngineThread() {
        return Thread.currentThread() == thread;
    }

    /** {@return name for logs} */
    public String name() {
        return config.name() + "-" + index;
    }

    /** {@return limits and habits} */
    public EngineConfig config() {
        return config;
    }

    /** {@return what its worker is made from} */
    public UcpContext context() {
        return context;
    }

    /** {@return what it has done} */
    public EngineCounters counters() {
        return counters;
    }

    /** {@return commands of other threads that wait} */
    public int queuedCommands() {
        return commands.size();
    }
}
