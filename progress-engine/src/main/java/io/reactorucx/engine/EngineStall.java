package io.reactorucx.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A round of an engine that has taken too long: none of its connections has made progress meanwhile.
 *
 * @param operation the part of this library that called what blocks: {@code handler} of a connection, else the last
 *     word of its package, such as {@code request}, {@code message} or {@code engine}
 * @param handler the method that blocks, as {@code package.Class.method}: the first one of the application that this
 *     library has called, or a method of this library when it has called none
 * @param duration how long the round has taken, at least: a watch looks now and then
 * @param stack what the engine's thread did when the stall was noticed, the innermost call first
 */
public record EngineStall(String operation, String handler, Duration duration, List<StackTraceElement> stack) {

    private static final String API = "io.reactorucx";
    private static final Set<String> LIBRARY = Set.of(API, "io.reactorucx.buffer",
            "io.reactorucx.connection", "io.reactorucx.memory", "io.reactorucx.message", "io.reactorucx.security",
            "io.reactorucx.metrics", "io.reactorucx.observation", "io.reactorucx.core", "io.reactorucx.engine",
            "io.reactorucx.netty", "io.reactorucx.rsocket");
    private static final List<String> HIDDEN = List.of("io.reactorucx.internal.", "io.reactorucx.core.",
            "io.reactorucx.netty.internal.");
    /** What may stand between this library and the application. */
    private static final List<String> BETWEEN = List.of("java.", "javax.", "jdk.", "sun.", "reactor.",
            "org.reactivestreams.", "org.agrona.", "org.jctools.", "io.micrometer.", "io.netty.", "io.rsocket.");
    private static final String UNKNOWN = "unknown";

    /** Checks the parts. */
    public EngineStall {
        Objects.requireNonNull(operation, "operation");
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(duration, "duration");
        stack = List.copyOf(stack);
    }

    /** Reads from the stack of an engine's thread what blocks it. */
    static EngineStall of(StackTraceElement[] stack, Duration duration) {
        int last = stack.length - 1;
        while (last >= 0 && !isLibrary(stack[last])) {
            last--;
        }
        int handler = last;
        while (handler >= 0 && (isLibrary(stack[handler]) || isBetween(stack[handler]))) {
            handler--;
        }
        int caller = Math.max(0, handler);
        while (caller < last && !isLibrary(stack[caller])) {
            caller++;
        }
        if (last < 0) {
            return new EngineStall(UNKNOWN, UNKNOWN, duration, Arrays.asList(stack));
        }
        StackTraceElement blocking = stack[handler < 0 ? caller : handler];
        return new EngineStall(room(packageOf(stack[caller])), blocking.getClassName() + "." + blocking.getMethodName(),
                duration, Arrays.asList(stack));
    }

    private static String room(String packageName) {
        return packageName.equals(API) ? "handler" : packageName.substring(packageName.lastIndexOf('.') + 1);
    }

    private static boolean isLibrary(StackTraceElement frame) {
        return LIBRARY.contains(packageOf(frame)) || HIDDEN.stream().anyMatch(frame.getClassName()::startsWith);
    }

    private static boolean isBetween(StackTraceElement frame) {
        return BETWEEN.stream().anyMatch(frame.getClassName()::startsWith);
    }

    private static String packageOf(StackTraceElement frame) {
        return frame.getClassName().substring(0, Math.max(0, frame.getClassName().lastIndexOf('.')));
    }

    /** Returns the same stall when it has taken longer. */
    EngineStall lasting(Duration longer) {
        return new EngineStall(operation, handler, longer, stack);
    }

    /** {@return operation and handler in one text, by which stalls are counted} */
    public String name() {
        return operation + " " + handler;
    }
}
