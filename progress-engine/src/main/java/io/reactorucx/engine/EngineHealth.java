package io.reactorucx.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an engine is, at one moment.
 *
 * @param engine its name
 * @param state whether it runs
 * @param oldest the operation that has been under way for longest, as far as it was seen; what blocks the engine while
 *     it is stalled; null for none
 * @param stalls how often it has stalled since it started, the present stall included
 * @param longestStall the longest stall since it started, the present one included, at least
 * @param stallsByName {@link #stalls} by {@link EngineStall#name()}: the first names, the others together as
 *     {@value EngineWatch#OTHERS}
 * @param failure what has ended it, null when nothing has or when it was closed
 */
public record EngineHealth(String engine, State state, @Nullable UnderWay oldest, long stalls, Duration longestStall,
        Map<String, Long> stallsByName, @Nullable Throwable failure) {

    /** Whether an engine runs. */
    public enum State {
        /** The engine makes rounds, or sleeps because there is nothing to do. */
        RUNNING,
        /** One of its rounds has taken longer than the threshold, and goes on. */
        STALLED,
        /** The engine is closed, is about to close, or has failed: it takes no commands. */
        CLOSED
    }

    /**
     * An operation that has not ended.
     *
     * @param operation what it is, such as {@code request} or {@code am_send}; {@link EngineStall#name()} of a stall
     * @param peer name of the peer, null when it concerns none
     * @param age how long it has been under way, at least: operations are looked at about once per second
     */
    public record UnderWay(String operation, @Nullable String peer, Duration age) {

        /** Checks the parts. */
        public UnderWay {
            Objects.requireNonNull(operation, "operation");
            Objects.requireNonNull(age, "age");
        }
    }

    /** Checks the parts. */
    public EngineHealth {
        Objects.requireNonNull(engine, "engine");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(longestStall, "longestStall");
        stallsByName = Map.copyOf(stallsByName);
    }

    /**
     * Returns how many stalls there were whose name is told apart, by {@link EngineStall#operation()}.
     *
     * @param operation such as {@code request}
     * @return their number
     */
    public long stallsOf(String operation) {
        return stallsByName.entrySet().stream().filter(each -> each.getKey().equals(operation)
                || each.getKey().startsWith(operation + " "))
                .mapToLong(Map.Entry::getValue).sum();
    }
}
