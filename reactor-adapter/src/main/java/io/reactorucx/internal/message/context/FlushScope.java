package io.reactorucx.internal.message.context;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delays sending until the outermost call into the message protocol returns, so that everything written meanwhile
 * shares a batch. Each entry point runs in {@code try (var _ = scope.open())}; scopes nest.
 *
 * <p>A call knows its level, and leaves to the one below, whatever calls above it have left behind: where the
 * application has used up the stack, their close may not have run.
 *
 * <p>Thread: engine.
 */
public final class FlushScope {

    private final Runnable flush;
    private final Runnable whenFlushed;
    private final List<Level> levels = new ArrayList<>();
    /** The engine's, within the outermost call. */
    private @Nullable Thread inside;
    private int depth;
    private boolean flushing;

    /** Creates a scope whose outermost close calls {@code flush}, and then {@code whenFlushed}. */
    public FlushScope(Runnable flush, Runnable whenFlushed) {
        this.flush = flush;
        this.whenFlushed = whenFlushed;
        levels.add(new Level(0));
    }

    /** One call into the protocol. */
    public final class Level implements AutoCloseable {

        private final int index;

        private Level(int index) {
            this.index = index;
        }

        @Override
        public void close() {
            if (index > 0) {
                depth = index;
            } else {
                try {
                    flushAndLeave();
                } finally {
                    depth = 0;
                    inside = null;
                }
                whenFlushed.run();
            }
        }
    }

    /**
     * Returns whether the caller is within a call into the protocol, and so on the engine's thread. Thread: any; only
     * the engine's ever finds itself.
     */
    public boolean isHere() {
        return inside == Thread.currentThread();
    }

    /** Begins a call. */
    public Level open() {
        int level = depth;
        if (level == 0) {
            outermost(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
            inside = Thread.currentThread();
        } else if (level == levels.size()) {
            levels.add(new Level(level));
        }
        depth = level + 1;
        return levels.get(level);
    }

    /** Returns how many calls are in progress, one within the other. */
    int depth() {
        return depth;
    }

    /** Takes more of the stack than a close does: where it ends, it ends here, and not between open and close. */
    private static long outermost(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) {
        return a + b + c + d + e + f + g + h + i + j;
    }

    /** As a scope around a step of the connection's shutdown, which checks by itself whether it can go on. */
    public void duringShutdown(Runnable step) {
        Level level = open();
        try {
            step.run();
        } finally {
            if (level.index == 0) {
                flushAndLeave();
            } else {
                level.close();
            }
        }
    }

    private void flushAndLeave() {
        if (flushing) {
            depth = 0;
            inside = null;
            return;
        }
        flushing = true;
        try {
            flush.run();
        } finally {
            flushing = false;
            depth = 0;
            inside = null;
        }
    }
}
