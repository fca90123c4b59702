package io.reactorucx.transport.connection;

import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.EngineHealth.UnderWay;
import io.reactorucx.engine.PeriodicTask;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the operation of an engine that has been under way for longest, by a look at all of them once per second, so
 * that an operation itself carries no time. What begins and ends between two looks is not seen.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
final class OperationAges {

    /** Operations that are told apart; further ones are taken up when others have ended. */
    static final int MAX_OPERATIONS = 4096;

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final Consumer<Function<String, OperationVisitor>> operations;
    private final BooleanSupplier unused;
    private Map<Object, Seen> seen = new IdentityHashMap<>();
    private final PeriodicTask looks;
    private volatile boolean enabled;
    private volatile @Nullable Seen oldest;

    private record Seen(String operation, String peer, long sinceNanos) {
    }

    /**
     * Creates the ages of an engine's operations.
     *
     * @param operations shows the operations of each connection to a visitor, which it gets by the peer's name
     * @param unused whether the engine has no connection
     */
    OperationAges(CommandExecutor engine, Consumer<Function<String, OperationVisitor>> operations,
            BooleanSupplier unused) {
        this.operations = operations;
        this.unused = unused;
        this.looks = PeriodicTask.aligned(engine, "the look at the ages of operations", INTERVAL, () -> {
            look(System.nanoTime());
            return !unused.getAsBoolean();
        });
    }

    /** Looks from the next connection on. Thread: any. */
    void enable() {
        enabled = true;
    }

    /** There is one more connection. */
    void schedule() {
        if (enabled && !unused.getAsBoolean()) {
            looks.start();
        }
    }

    /** There is no connection any more. */
    void stop() {
        looks.stop();
        seen = new IdentityHashMap<>();
        oldest = null;
    }

    /** Looks at all operations, and keeps since when each was seen. */
    private void look(long nowNanos) {
        Map<Object, Seen> now = new IdentityHashMap<>();
        operations.accept(peer -> (operation, name) -> {
            Seen before = seen.get(operation);
            if (before != null) {
                now.put(operation, before);
            } else if (seen.size() < MAX_OPERATIONS && now.size() < MAX_OPERATIONS) {
                now.put(operation, new Seen(name, peer, nowNanos));
            }
        });
        seen = now;
        Seen first = null;
        for (Seen each : now.values()) {
            if (first == null || each.sinceNanos - first.sinceNanos < 0) {
                first = each;
            }
        }
        oldest = first;
    }

    /** Returns the oldest operation of the last look, null for none. Thread: any. */
    @Nullable UnderWay oldest() {
        Seen first = oldest;
        return first == null ? null : new UnderWay(first.operation, first.peer,
                Duration.ofNanos(Math.max(0, System.nanoTime() - first.sinceNanos)));
    }
}
