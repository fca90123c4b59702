package io.reactorucx.internal.concurrent;

import reactor.core.Exceptions;

/**
 * What the application's code throws, as a signal. Reactor throws errors of the JVM ({@link LinkageError},
 * {@link StackOverflowError} and others) at its caller instead of signalling them: on an engine's thread nothing would
 * end then, so they travel as the cause of an exception. A lack of memory ends the engine, with all that it has.
 */
public final class ApplicationErrors {

    private ApplicationErrors() {
    }

    /** Returns what stands for a throwable in a signal: itself, unless Reactor would throw it at its caller. */
    public static Throwable signal(Throwable thrown) {
        return Exceptions.isFatal(thrown) ? new Thrown(thrown) : thrown;
    }

    /** Throws an error that says that the JVM lacks memory or has failed, which ends the engine. */
    public static void rethrowIfOutOfMemory(Throwable thrown) {
        if (thrown instanceof VirtualMachineError failure && !(thrown instanceof StackOverflowError)) {
            throw failure;
        }
    }

    /** Returns what to throw for a throwable, so that Reactor makes a signal of it. */
    public static RuntimeException exception(Throwable thrown) {
        rethrowIfOutOfMemory(thrown);
        return thrown instanceof RuntimeException exception && !Exceptions.isFatal(thrown) ? exception
                : new Thrown(thrown);
    }

    /** Returns the throwable for which a signal stands. */
    public static Throwable original(Throwable signal) {
        return signal instanceof Thrown && signal.getCause() != null ? signal.getCause() : signal;
    }

    private static final class Thrown extends IllegalStateException {

        private static final long serialVersionUID = 1;

        Thrown(Throwable cause) {
            super("the application threw " + cause, cause);
        }
    }
}
