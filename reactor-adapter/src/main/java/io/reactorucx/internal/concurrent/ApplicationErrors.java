package io.reactorucx.internal.concurrent;

import io.reactorucx.transport.command.ApplicationException;
import io.reactorucx.transport.command.JvmErrors;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/**
 * The errors that the application's code throws, as signals. Reactor throws errors of the JVM ({@link LinkageError},
 * {@link StackOverflowError} and others) at its caller instead of signalling them: on an engine's thread nothing would
 * end then, so they travel as the cause of an exception. A lack of memory ends the engine, with all that it has.
 */
public final class ApplicationErrors {

    private ApplicationErrors() {
    }

    /**
     * Returns what stands for a throwable in a signal: itself, unless Reactor would throw it at its caller, or its own
     * code throws where it is logged or its message is read.
     */
    public static Throwable signal(Throwable thrown) {
        return Exceptions.isFatal(thrown) || !ApplicationException.isPrintable(thrown)
                ? new ApplicationException(thrown) : thrown;
    }

    /**
     * Returns the error of a publisher of the application that signals before it has called onSubscribe: what it has
     * signalled would be lost, and its subscriber wait for ever.
     *
     * @param failure that it has signalled, null for another signal
     */
    public static IllegalStateException notSubscribed(@Nullable Throwable failure) {
        return new IllegalStateException("a publisher has signalled before it called onSubscribe (rule 1.9 of Reactive"
                + " Streams)", failure == null ? null : signal(failure));
    }

    /** Returns what is logged for a throwable: itself, unless its own code throws then. */
    public static Throwable printable(Throwable thrown) {
        return ApplicationException.printable(thrown);
    }

    /** Throws an error that says that the JVM lacks memory or has failed, which ends the engine. */
    public static void rethrowIfOutOfMemory(Throwable thrown) {
        JvmErrors.rethrowIfOutOfMemory(thrown);
    }

    /** Returns what to throw for a throwable, so that Reactor makes a signal of it. */
    public static RuntimeException exception(Throwable thrown) {
        rethrowIfOutOfMemory(thrown);
        return signal(thrown) instanceof RuntimeException exception ? exception : new ApplicationException(thrown);
    }

    /** Returns the throwable for which a signal stands. */
    public static Throwable original(Throwable signal) {
        return signal instanceof ApplicationException standIn ? standIn.thrown() : signal;
    }
}
