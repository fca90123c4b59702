package io.reactorucx.core;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of UCX that an upcall could not record. An upcall must not throw, so it notes a fatal error here, and the
 * worker's next progress throws it: without memory a message or a completion was lost, for which its receiver would
 * wait for ever.
 *
 * <p>Thread: the worker's.
 */
final class LostEvents {

    private static final Logger LOG = LoggerFactory.getLogger(LostEvents.class);

    private @Nullable Error fatal;

    /** Notes what an upcall caught; never throws. */
    void add(Throwable thrown) {
        if (fatal == null && isFatal(thrown)) {
            fatal = (Error) thrown;
        }
        log(thrown);
    }

    /** Throws the fatal error that was noted, once. */
    void rethrow() {
        Error noted = fatal;
        if (noted != null) {
            fatal = null;
            throw noted;
        }
    }

    /** Throws a fatal error again, after it was logged. */
    static void rethrowIfFatal(Throwable thrown) {
        if (isFatal(thrown)) {
            throw (Error) thrown;
        }
    }

    /**
     * Returns whether the JVM lacks memory or is broken; an overflow of the stack concerns one call only, as an
     * internal error does, which an access to a file tells that was truncated.
     */
    private static boolean isFatal(Throwable thrown) {
        return thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError)
                && !(thrown instanceof InternalError);
    }

    static void log(Throwable thrown) {
        try {
            LOG.error("An event of UCX was lost", thrown);
        } catch (Throwable loggingFailed) {
            // Not even logging works, and no exception may reach C.
        }
    }
}
