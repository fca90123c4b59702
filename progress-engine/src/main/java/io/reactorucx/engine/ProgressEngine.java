package io.reactorucx.engine;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns one worker and drives it in rounds: it runs the commands of other threads, lets UCX progress, delivers
 * completions and runs the timeouts that are due.
 *
 * <p>A {@link ProgressEngineGroup} gives it a thread of its own; any other loop may drive it by {@link #step} instead.
 *
 * <p><b>Threading:</b> {@link #step} by one thread for life; {@link #execute}, {@link #wakeup}, {@link #closeAsync} by
 * any. <b>Ownership:</b> the worker is made by the first step and destroyed by the last one after {@link #closeAsync};
 * the thread that steps must not end before {@link #isClosed()}. <b>Errors:</b> a command that cannot be taken is
 * rejected, with BUSY when the queue is full. An engine fails when a round throws, or when the JVM runs out of memory
 * in one: {@link #failure()} tells why, and it closes as by {@link #closeAsync}.
 */
public final class ProgressEngine implements CommandExecutor {

    private static final Logger LOG = LoggerFactory.getLogger(ProgressEngine.class);
    /**
     * Completed operations that are delivered before UCX gets its turn again. Each may post the next message: half of
     * what UCX's queue in shared memory holds, because UCX itself queues what finds that full, at a multiple of the
     * cost, until it makes progress.
     */
    static final int DELIVERIES_PER_ROUND = 32;

    private final UcpContext context;
    private final EngineConfig config;
    private final int index;
    private final EngineObserver observer;
    private final CommandQueue commands;
    private final Queue<DeferredCompletion> deferred = new ArrayDeque<>();
    private final EngineCounters counters = new EngineCounters();
    private final EngineClosing closing;
    private final EngineTimer timer;
    private final EngineSleep sleep;
    private final Consumer<Command> runner = this::run;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile boolean closeRequested;
    private volatile @Nullable Throwable failure;
    private boolean failureTold;
    private volatile @Nullable Thread thread;
    private @Nullable UcpWorker worker;
    private final FailedRounds failedRounds = new FailedRounds();
    private boolean stepping;

    /**
     * An engine that has to be stepped.
     *
     * @param context what its worker is made from
     * @param config limits and habits
     * @param index its index in its group, used in names
     * @param observer notified of rare events
     */
    public ProgressEngine(UcpContext context, EngineConfig config, int index, EngineObserver observer) {
        this.context = Objects.requireNonNull(context, "context");
        this.config = Objects.requireNonNull(config, "config");
        config.requireFeatures(context);
        this.index = index;
        this.observer = Objects.requireNonNull(observer, "observer");
        this.commands = new CommandQueue(config.commandQueueCapacity());
        this.closing = new EngineClosing(config.closeTimeout());
        this.timer = new EngineTimer(this, EngineTimer.MAX_TIMEOUTS);
        this.sleep = new EngineSleep(config, timer, counters,
                () -> commands.isEmpty() && deferred.isEmpty() && !closeRequested);
    }

    /**
     * One round. The first one makes the worker, which belongs to the calling thread from then on. Not from within a
     * round.
     *
     * @param mayBlock whether to wait by the configured strategy when there was nothing to do
     * @param deadlineNanos latest end of that wait, as {@link System#nanoTime()}
     * @return how much was done, 0 for nothing, as it is once the engine is closed
     */
    public int step(boolean mayBlock, long deadlineNanos) {
        UcpWorker owned = isEngineThread() ? worker : open();
        if (owned == null || owned.isClosed()) {
            if (owned != null && !closed.isDone()) {
                // Its end has lacked memory.
                finish();
            }
            return 0;
        }
        if (stepping) {
            throw new IllegalStateException("step: called from a command, completion or handler of the same engine "
                    + name());
        }
        stepping = true;
        try {
            return round(owned, mayBlock, deadlineNanos);
        } finally {
            stepping = false;
        }
    }

    /**
     * One round, not the first one, for a loop that has to go on: what it throws fails the engine, which closes.
     *
     * @return as {@link #step}
     */
    public int stepOrFail() {
        try {
            return step(false, 0);
        } catch (Throwable t) {
            failedRounds.add(this, t);
            return failedRounds.count();
        }
    }

    private int round(UcpWorker owned, boolean mayBlock, long deadlineNanos) {
        if (closeRequested) {
            return closeStep(owned);
        }
        int ran = commands.drain(runner, config.commandsPerStep());
        int work = ran + owned.progress() + sleep.poll();
        // What is read may post operations: half of them keeps up with any number of messages in a round.
        work += deliverDeferred(Math.max(DELIVERIES_PER_ROUND, deferred.size() / 2));
        work += timer.poll(work, config.commandsPerStep());
        int parked = owned.parkedEndpoints().count();
        if (parked > 0) {
            owned.parkedEndpoints().closeAfter(config.closeTimeout());
        }
        counters.stepped(work, ran, owned.inFlight(), owned.activeMessages().held(), parked);
        if (work > 0) {
            sleep.busy();
        } else if (mayBlock) {
            sleep.idle(owned, deadlineNanos);
        }
        return work;
    }

    /** Makes the worker; null when the engine was closed before that. */
    private @Nullable UcpWorker open() {
        synchronized (this) {
            if (closed.isDone() || (closeRequested && thread == null)) {
                return null;
            }
            if (thread != null) {
                throw new IllegalStateException("step: the engine " + name() + " belongs to another thread, this is "
                        + Thread.currentThread().getName());
            }
            worker = context.createWorker(config.workerConfig(index));
            thread = Thread.currentThread();
        }
        tell(observer::engineStarted);
        return worker;
    }

    private void tell(Consumer<ProgressEngine> event) {
        try {
            event.accept(this);
        } catch (Throwable t) {
            log("the observer threw", t);
        }
    }

    /** Logs what was thrown; without memory the logger may throw as well. */
    private void log(String what, Throwable thrown) {
        try {
            LOG.error("[{}] {}", name(), what, thrown);
        } catch (Throwable t) {
            // Nothing is left to report it to.
        }
    }

    /** Logs what user code or a part of this library has thrown; a lack of memory ends the engine. */
    void caught(String what, Throwable thrown) {
        log(what, thrown);
        if (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError)
                && !(thrown instanceof InternalError)) {
            fail(thrown);
        }
    }

    /**
     * Lets the engine close because of an error, so that no caller waits for it in vain. Thread: engine.
     */
    void fail(Throwable cause) {
        synchronized (this) {
            if (closeRequested) {
                return;
            }
            failure = cause;
            closeRequested = true;
        }
        log("the engine has failed and closes; its connections and servers end with the error", cause);
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    /** {@return the error of an operation after the engine has failed or was closed} */
    private UcxClosedException closedException(String operation) {
        Throwable cause = failure;
        return cause == null ? new UcxClosedException(operation, "the engine " + name())
                : new UcxClosedException(operation, null, "the engine " + name() + " has failed: " + cause, cause);
    }

    private void tellFailure() {
        Throwable cause = failure;
        if (cause != null && !failureTold) {
            failureTold = true;
            tell(engine -> observer.engineFailed(engine, cause));
        }
    }

    private void run(Command command) {
        try {
            command.run(Objects.requireNonNull(worker));
        } catch (Throwable t) {
            caught("a command threw", t);
        }
    }

    private int deliverDeferred(int most) {
        int count = Math.min(deferred.size(), most);
        for (int i = 0; i < count; i++) {
            try {
                Objects.requireNonNull(deferred.poll()).deliver();
            } catch (Throwable t) {
                caught("an operation threw while it was ended", t);
            }
        }
        return count;
    }

    /**
     * Has this engine poll something beside its worker from now on; once, by the thread that steps.
     *
     * @param source what to poll, until {@link PolledSource#engineClosed()}
     */
    public void pollBeside(PolledSource source) {
        sleep.source(Objects.requireNonNull(source, "source"));
    }

    /**
     * Prepares a sleep of the loop that steps this engine: from then on {@link #eventFd()} becomes readable when there
     * is something to do. The loop waits for at most {@link #longestSleepNanos()}, then calls {@link #unpark()} and
     * steps. Between two steps, by the thread that steps; the context needs the feature WAKEUP.
     * @return whether the loop may sleep; if not, it has to step first
     */
    public boolean park() {
        return sleep.park(requireOwned("park"));
    }

    /** The loop is awake again: threads that queue a command need not wake it. After {@link #park()}. */
    public void unpark() {
        requireOwned("unpark");
        sleep.unpark();
    }

    /** {@return how long the loop may sleep in ns: until the next timeout, at most the longest sleep} */
    public long longestSleepNanos() {
        requireOwned("longestSleepNanos");
        return Math.max(0, sleep.longestNanos(System.nanoTime()));
    }

    /** {@return the worker's descriptor, readable when a parked engine has something to do (ucp_worker_get_efd)} */
    public int eventFd() {
        return requireOwned("eventFd").eventFd();
    }

    private UcpWorker requireOwned(String method) {
        UcpWorker owned = worker;
        if (!isEngineThread() || owned == null) {
            throw new IllegalStateException(method + ": only for the thread that steps the engine " + name()
                    + ", after its first step");
        }
        if (stepping) {
            throw new IllegalStateException(method + ": called from a command, completion or handler of the engine "
                    + name());
        }
        return owned;
    }

    /**
     * Runs a command: at once when called by the engine's own thread, for as long as the worker exists, else by its
     * next round, after those that were queued before, or after the {@linkplain Command#isUrgent() urgent} ones alone.
     *
     * @param command what to do
     */
    @Override
    public void execute(Command command) {
        Objects.requireNonNull(command, "command");
        if (isEngineThread() && worker != null && !worker.isClosed()) {
            run(command);
        } else if (closeRequested) {
            counters.rejectedCommand();
            command.reject(closedException("submit"));
        } else if (!commands.offer(command)) {
            counters.rejectedCommand();
            command.reject(new UcxException(UcxStatus.BUSY, "submit", null,
                    "the queue of " + config.commandQueueCapacity() + " commands of the engine " + name()
                    + " is full"));
        } else if (closeRequested && closed.isDone()) {
            rejectQueued();
        } else if (sleep.wakeIfParked()) {
            signal();
        }
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable action) {
        return timer.schedule(delayNanos, action);
    }

    /** Ends a step that waits, or keeps the next one from waiting. Any thread. */
    public void wakeup() {
        if (sleep.wake()) {
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

    /**
     * Returns whether one more operation can be delivered later; else rejects it. Has to be called before the post: an
     * operation that UCX has completed must not be reported as refused.
     */
    boolean admits(Operation operation) {
        if (deferred.size() < (long) config.maxInFlight() + config.commandsPerStep()) {
            return true;
        }
        // Only a loop on the engine's own thread can cause this: it posts without returning to the engine.
        counters.rejectedCommand();
        operation.reject(new UcxException(UcxStatus.BUSY, operation.kind().ucxName(), operation.peer(),
                "the engine's thread has posted " + deferred.size()
                + " operations in one go, which wait to be delivered"));
        return false;
    }

    boolean isClosing() {
        return closeRequested;
    }

    /** Throws when the engine closes: an operation posted then, a receive for example, might keep it from closing. */
    void checkOpen(OperationKind kind) {
        if (closeRequested) {
            throw closedException(kind.ucxName());
        }
    }

    /** Has the loop complete an operation that was done, or refused, within the call that posted it. */
    void deliverLater(DeferredCompletion operation) {
        deferred.add(operation);
    }

    /**
     * Begins to close: queued commands are rejected, operations are not posted any more, listeners and endpoints are
     * closed, by force where that is possible. The engine has to be stepped until {@link #isClosed()}.
     *
     * @return completes when the worker is gone
     */
    public CompletableFuture<Void> closeAsync() {
        boolean neverStarted;
        synchronized (this) {
            if (closeRequested) {
                return closed.copy();
            }
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
        if (failure != null && !failureTold && failedRounds.waitForMemory()) {
            return 0;
        }
        tellFailure();
        rejectQueued();
        int work = owned.progress() + sleep.poll() + deliverDeferred(Integer.MAX_VALUE);
        if (closing.step(owned, deferred.isEmpty())) {
            work += deliverDeferred(Integer.MAX_VALUE);
            finish();
        }
        boolean gone = owned.isClosed();
        counters.stepped(work, 0, gone ? 0 : owned.inFlight(), gone ? 0 : owned.activeMessages().held(),
                gone ? 0 : owned.parkedEndpoints().count());
        return work;
    }

    /** Leaves the worker to the process, because closing it throws again and again. Thread: engine. */
    void giveUp() {
        UcpWorker owned = worker;
        try {
            if (owned != null) {
                owned.abandon();
            }
        } catch (Throwable t) {
            log("the worker could not be abandoned", t);
        }
        finish();
    }

    private void finish() {
        tellFailure();
        rejectQueued();
        timer.clear();
        if (thread != null) {
            tell(observer::engineClosed);
        }
        sleep.engineClosed();
        closed.complete(null);
        rejectQueued();
    }

    private void rejectQueued() {
        for (Command command = nextQueued(); command != null; command = nextQueued()) {
            counters.rejectedCommand();
            try {
                command.reject(closedException("submit"));
            } catch (Throwable t) {
                log("a command threw while it was rejected", t);
            }
        }
    }

    /**
     * The next command, for one of the threads that reject commands at the end. The queue's drain would stop at a slot
     * that a thread has claimed but not filled yet, while poll waits for it. That thread may have read {@link #closed}
     * too early to reject its command itself.
     */
    private synchronized @Nullable Command nextQueued() {
        return commands.poll();
    }

    /** {@return whether the worker is gone} */
    public boolean isClosed() {
        return closed.isDone();
    }

    @Override
    public boolean isEngineThread() {
        return Thread.currentThread() == thread;
    }

    /** Returns the thread that steps this engine, null before the first step and while it sleeps. Thread: any. */
    @Nullable Thread awakeThread() {
        return sleep.isParked() ? null : thread;
    }

    @Override
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

    EngineTimer timer() {
        return timer;
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
