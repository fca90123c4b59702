package io.reactorucx.internal.message.context;

import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.transport.command.CoalescedCommand;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Tries again in 1 ms what has failed for want of memory or of a slot of the engine, and flushes.
 *
 * <p>Thread: engine.
 */
public final class DelayedRetry {

    private final FlushScope scope;
    private final Set<Runnable> stalled = new LinkedHashSet<>();
    private final CoalescedCommand command;

    public DelayedRetry(CommandExecutor engine, FlushScope scope) {
        this.scope = scope;
        this.command = CoalescedCommand.delayed(engine, this::retry);
    }

    /** Flushes again. */
    public void flush() {
        command.submit();
    }

    /** Runs an action again before the flush, once however often it was added. */
    public void add(Runnable action) {
        stalled.add(action);
        command.submit();
    }

    private void retry() {
        try (var _ = scope.open()) {
            List<Runnable> now = List.copyOf(stalled);
            // What stalls again waits for the next retry: memory and slots are freed when the engine goes on.
            stalled.clear();
            now.forEach(Runnable::run);
        }
    }
}
