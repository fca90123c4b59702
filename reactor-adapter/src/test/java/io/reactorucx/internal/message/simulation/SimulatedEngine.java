package io.reactorucx.internal.message.simulation;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.Timeout;
import java.util.ArrayDeque;
import java.util.Deque;

/** The thread of one side. Commands of other threads wait for its next round, and its queue is full now and then. */
final class SimulatedEngine implements CommandExecutor {

    private static final double FULL = 0.03;

    private final Simulation simulation;
    private final String name;
    private final Deque<Command> commands = new ArrayDeque<>();
    private final Deque<Command> urgent = new ArrayDeque<>();
    private Runnable whenAwake = () -> { };
    private boolean roundDue;
    private boolean closed;
    private boolean ended;

    SimulatedEngine(Simulation simulation, String name) {
        this.simulation = simulation;
        this.name = name;
    }

    @Override
    public boolean isEngineThread() {
        return simulation.current() == this;
    }

    @Override
    public void execute(Command command) {
        if (isEngineThread() && !closed) {
            command.run(null);
        } else if (closed) {
            command.reject(new UcxClosedException("submit", "the engine " + name));
        } else if (simulation.chance(FULL)) {
            simulation.note(name + ": the queue of commands is full");
            command.reject(new UcxException(UcxStatus.BUSY, "submit", null, "the queue is full"));
        } else {
            (command.isUrgent() ? urgent : commands).add(command);
            roundDue();
        }
    }

    @Override
    public boolean executeLater(long delayNanos, Command command) {
        simulation.after(delayNanos, () -> execute(command));
        return true;
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable action) {
        SimulatedTimeout timeout = new SimulatedTimeout(action);
        simulation.after(delayNanos, () -> run(timeout));
        return timeout;
    }

    /** An action that is to come. It does not run once the engine has closed. */
    private final class SimulatedTimeout implements Timeout, Runnable {

        private final Runnable action;
        private boolean pending = true;

        SimulatedTimeout(Runnable action) {
            this.action = action;
        }

        @Override
        public boolean cancel() {
            boolean was = pending;
            pending = false;
            return was;
        }

        @Override
        public boolean isPending() {
            return pending;
        }

        @Override
        public void run() {
            if (cancel() && !closed) {
                action.run();
            }
        }
    }

    @Override
    public long nanoTime() {
        return simulation.now();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Throwable failure() {
        return null;
    }

    private void roundDue() {
        if (!roundDue) {
            roundDue = true;
            simulation.soon(this::round);
        }
    }

    private void round() {
        roundDue = false;
        for (int left = 1 + simulation.below(8); left > 0 && !(urgent.isEmpty() && commands.isEmpty()); left--) {
            Command next = urgent.isEmpty() ? commands.poll() : urgent.poll();
            run(() -> next.run(null));
        }
        if (!urgent.isEmpty() || !commands.isEmpty()) {
            roundDue();
        }
    }

    /** Tells that the engine does something, before it does. */
    void whenAwake(Runnable told) {
        whenAwake = told;
    }

    /** Runs an action on this thread, unless that has ended. */
    void run(Runnable action) {
        if (!ended) {
            whenAwake.run();
            simulation.runAs(this, action);
        }
    }

    /** Runs an action of the application on this thread or another one. */
    void runAnywhere(Runnable action) {
        if (simulation.chance(0.5) && !closed) {
            run(action);
        } else {
            action.run();
        }
    }

    /** Takes no more commands, and rejects those that wait. */
    void close() {
        closed = true;
        UcxClosedException cause = new UcxClosedException("submit", "the engine " + name);
        urgent.addAll(commands);
        commands.clear();
        for (Command next = urgent.poll(); next != null; next = urgent.poll()) {
            next.reject(cause);
        }
    }

    /** Runs nothing any more, as a process that is stopped. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public String toString() {
        return name;
    }
}
