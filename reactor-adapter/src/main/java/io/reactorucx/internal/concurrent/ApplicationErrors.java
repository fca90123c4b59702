package io.reactorucx.internal.concurrent;

import io.reactorucx.internal.command.JvmErrors;
import reactor.core.Exceptions;

/**
 * What the application's code throws, as a signal. Reactor throws errors of the JVM ({@link LinkageError},
 * {@link StackOverflowError} and others) at its caller instead of signalling them: on an engine's thread nothing would
 * end then, so they travel as the cause of an exception. A lack of memory ends the engine, with all that it has.
 */
public final class ApplicationErrors {

    /** Causes that are looked at; a chain may be a ring. */
    private static final int MAX_CAUSES = 100;

    private ApplicationErrors() {
    }

    /**
     * Returns what stands for a throwable in a signal: itself, unless Reactor would throw it at its caller, or its own
     * code throws where it is logged or its message is read.
     */
    public static Throwable signal(Throwable thrown) {
        return Exceptions.isFatal(thrown) || !isPrintable(thrown) ? new Thrown(thrown) : thrown;
    }

    /** Returns what is logged for a throwable: itself, unless its own code throws then. */
    public static Throwable printable(Throwable thrown) {
        return isPrintable(thrown) ? thrown : new Thrown(thrown);
    }

    /** Throws an error that says that the JVM lacks memory or has failed, which ends the engine. */
    public static void rethrowIfOutOfMemory(Throwable thrown) {
        JvmErrors.rethrowIfOutOfMemory(thrown);
    }

    /** Returns what to throw for a throwable, so that Reactor makes a signal of it. */
    public static RuntimeException exception(Throwable thrown) {
        rethrowIfOutOfMemory(thrown);
        return signal(thrown) instanceof RuntimeException exception ? exception : new Thrown(thrown);
    }

    /** Returns the throwable for which a signal stands. */
    public static Throwable original(Throwable signal) {
        return signal instanceof Thrown standIn ? standIn.thrown : signal;
    }

    /** Whether the messages of a throwable and of its causes can be had; subclasses override the methods. */
    private static boolean isPrintable(Throwable thrown) {
        try {
            Throwable each = thrown;
            for (int depth = 0; each != null && depth < MAX_CAUSES; depth++) {
                String unused = each.getMessage() + each;
                each = each.getCause();
            }
            return true;
        } catch (Throwable t) {
            rethrowIfOutOfMemory(t);
            return false;
        }
    }

    private static final class Thrown extends IllegalStateException {

        private static final long serialVersionUID = 1;

        private final Throwable thrown;

        Thrown(Throwable thrown) {
            this(thrown, isPrintable(thrown));
        }

        private Thrown(Throwable thrown, boolean printable) {
            super("the application threw " + (printable ? thrown
                    : thrown.getClass().getName() + ", whose message cannot be read"), printable ? thrown : null);
            this.thrown = thrown;
        }
    }
}
