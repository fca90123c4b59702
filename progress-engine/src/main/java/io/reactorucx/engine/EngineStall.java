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
 *     word of its package, such as {@code request} or {@code message}; {@value #ENGINE} when the application was not
 *     called
 * @param handler the method that blocks, as {@code package.Class.method}: the first one of the application that this
 *     library has called; {@value #ENGINE} when it has called none, so that this library or UCX takes the time, or the
 *     thread got no processor
 * @param duration how long the round has taken, at least: a watch looks now and then
 * @param stack what the engine's thread did when the stall was noticed, the innermost call first
 */
public record EngineStall(String operation, String handler, Duration duration, List<StackTraceElement> stack) {

    /** The operation and the handler of a stall in which no code of the application was called. */
    public static final String ENGINE = "engine";

    private static final String API = "io.reactorucx";
    private static final String ROOMS = "io.reactorucx.internal.";
    private static final Set<String> LIBRARY = Set.of(API, "io.reactorucx.buffer", "io.reactorucx.codec",
            "io.reactorucx.connection", "io.reactorucx.memory", "io.reactorucx.message", "io.reactorucx.security",
            "io.reactorucx.metrics", "io.reactorucx.observation", "io.reactorucx.core", "io.reactorucx.engine",
            "io.reactorucx.netty", "io.reactorucx.rsocket");
    private static final List<String> HIDDEN = List.of(ROOMS, "io.reactorucx.core.", "io.reactorucx.transport.",
            "io.reactorucx.netty.", "io.reactorucx.spring.boot.");
    /** The part of this library through which the others call the application. */
    private static final String CALLS = "io.reactorucx.internal.concurrent.";
    /** Code that may stand between this library and the application. */
    private static final List<String> BETWEEN = List.of("java.", "javax.", "jdk.", "sun.", "reactor.",
            "org.reactivestreams.", "org.agrona.", "org.jctools.", "io.micrometer.", "io.netty.", "io.rsocket.");
    /** Frameworks that call the application; blamed only if no frame of the application is on the stack. */
    private static final List<String> FRAMEWORKS = List.of("org.springframework.", "io.grpc.", "kotlin.", "kotlinx.");
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
        if (last < 0) {
            return new EngineStall(UNKNOWN, UNKNOWN, duration, Arrays.asList(stack));
        }
        int handler = application(stack, last);
        if (handler < 0) {
            return new EngineStall(ENGINE, ENGINE, duration, Arrays.asList(stack));
        }
        int caller = handler;
        while (caller < last && (!isLibrary(stack[caller]) || stack[caller].getClassName().startsWith(CALLS))) {
            caller++;
        }
        return new EngineStall(room(packageOf(stack[caller])),
                stack[handler].getClassName() + "." + stack[handler].getMethodName(), duration, Arrays.asList(stack));
    }

    /** Returns the index of the first method of the application, else of a framework, that was called; else -1. */
    private static int application(StackTraceElement[] stack, int last) {
        int framework = -1;
        for (int i = last; i >= 0; i--) {
            boolean ofFramework = isOneOf(FRAMEWORKS, stack[i]);
            if (!ofFramework && !isLibrary(stack[i]) && !isOneOf(BETWEEN, stack[i])) {
                return i;
            }
            if (ofFramework && framework < 0) {
                framework = i;
            }
        }
        return framework;
    }

    /** Returns whether no code of an application or a framework runs. */
    boolean isOfEngine() {
        return handler.equals(ENGINE);
    }

    /** Returns whether no code of an application or a framework runs, and the thread is within a class. */
    boolean isWithin(Class<?> place) {
        return isOfEngine()
                && stack.stream().anyMatch(frame -> frame.getClassName().equals(place.getName()));
    }

    private static String room(String packageName) {
        if (packageName.startsWith(ROOMS)) {
            // A protocol may have rooms of its own.
            return packageName.substring(ROOMS.length()).split("\\.", 2)[0];
        }
        return packageName.equals(API) ? "handler" : packageName.substring(packageName.lastIndexOf('.') + 1);
    }

    private static boolean isLibrary(StackTraceElement frame) {
        return LIBRARY.contains(packageOf(frame)) || HIDDEN.stream().anyMatch(frame.getClassName()::startsWith);
    }

    private static boolean isOneOf(List<String> prefixes, StackTraceElement frame) {
        return prefixes.stream().anyMatch(frame.getClassName()::startsWith);
    }

    private static String packageOf(StackTraceElement frame) {
        return frame.getClassName().substring(0, Math.max(0, frame.getClassName().lastIndexOf('.')));
    }

    /** Returns the same stall when it has taken longer. */
    EngineStall lasting(Duration longer) {
        return new EngineStall(operation, handler, longer, stack);
    }

    /** {@return operation and handler in one text, by which stalls are counted; {@value #ENGINE} for no handler} */
    public String name() {
        return isOfEngine() ? operation : operation + " " + handler;
    }
}
