package io.reactorucx.transport.buffer;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The place where an operation was done to a leaked object: the stack of the thread that did it. */
public final class LeakRecord extends Throwable {

    private static final long serialVersionUID = 1;

    private static final Set<String> LIBRARY = Set.of("io.reactorucx", "io.reactorucx.buffer", "io.reactorucx.codec",
            "io.reactorucx.connection", "io.reactorucx.memory", "io.reactorucx.message", "io.reactorucx.security",
            "io.reactorucx.metrics", "io.reactorucx.core", "io.reactorucx.engine");
    private static final List<String> HIDDEN = List.of("io.reactorucx.internal.", "io.reactorucx.transport.",
            "io.reactorucx.core.", "org.agrona.");
    private static final List<String> NOT_THE_APPLICATION = List.of("java.", "jdk.", "reactor.",
            "org.reactivestreams.");

    private final String what;

    LeakRecord(String what) {
        super(what);
        this.what = what;
    }

    /** Returns a record of the same place, for a report that adds suppressed records to it. */
    LeakRecord copy() {
        LeakRecord copy = new LeakRecord(what);
        copy.setStackTrace(getStackTrace());
        return copy;
    }

    /** Returns the first frame of the application, or at least the first one outside of this library. */
    String firstOutside() {
        List<StackTraceElement> outside = Arrays.stream(getStackTrace()).filter(Predicate.not(LeakRecord::isLibrary))
                .toList();
        return Stream.concat(outside.stream().filter(LeakRecord::isApplication), outside.stream()).findFirst()
                .map(StackTraceElement::toString).orElse("an unknown place");
    }

    private static boolean isApplication(StackTraceElement frame) {
        return NOT_THE_APPLICATION.stream().noneMatch(frame.getClassName()::startsWith);
    }

    private static boolean isLibrary(StackTraceElement frame) {
        String name = frame.getClassName();
        return LIBRARY.contains(name.substring(0, Math.max(0, name.lastIndexOf('.'))))
                || HIDDEN.stream().anyMatch(name::startsWith);
    }
}
