package io.reactorucx.transport.command;

/** Errors of the JVM after which an engine cannot go on. */
public final class JvmErrors {

    private JvmErrors() {
    }

    /** Throws an error that says that the JVM lacks memory or has failed, which ends the engine. */
    public static void rethrowIfOutOfMemory(Throwable thrown) {
        if (thrown instanceof VirtualMachineError failure && !(thrown instanceof StackOverflowError)
                && !(thrown instanceof InternalError)) {
            throw failure;
        }
    }
}
