package io.reactorucx.core.internal.worker;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of UCX that an upcall could not record. An upcall must not throw, so it notes here what it caught, and the
 * worker looks at it when the native call has returned: it logs an exception, and throws an error that is fatal, since
 * without memory a message or a completion was lost, for which its receiver would wait for ever.
 *
 * <p>Thread: the worker's.
 */
public final class LostEvents {

    /**
     * The exception that an upcall throws in its own {@code try} block when it is called without arguments, before UCX
     * calls it.
     */
    public static final RuntimeException WARM_UP = new WarmUp();

    private static final Logger LOG = LoggerFactory.getLogger(LostEvents.class);
    /**
     * Loaded at the start, because the JVM needs memory to load them for a {@code catch} block or {@code instanceof},
     * and throws another error out of the block where it has none.
     */
    private static final List<Class<?>> LOADED = List.of(VirtualMachineError.class, OutOfMemoryError.class,
            StackOverflowError.class, InternalError.class);
    /** Some hundred messages, or the end of some hundred operations. */
    private static final int RESERVE_BYTES = 64 << 10;

    private @Nullable Throwable first;
    /** Memory for the moment in which there is none left; null once it was needed. */
    private byte @Nullable [] reserve = new byte[RESERVE_BYTES];

    private static final class WarmUp extends RuntimeException {

        private static final long serialVersionUID = 1L;

        WarmUp() {
            super("not thrown by UCX", null, false, false);
        }
    }

    /** Notes what an upcall caught. It neither allocates nor calls, as there may be no memory and no stack left. */
    public void add(Throwable thrown) {
        if (first == null && thrown != WARM_UP) {
            first = thrown;
        }
    }

    /** Logs what was noted, and throws it if it is fatal. */
    public void rethrow() {
        Throwable noted = first;
        if (noted != null) {
            first = null;
            reserve = isFatal(noted) ? null : reserve;
            log(noted);
            rethrowIfFatal(noted);
        }
    }

    /**
     * Throws {@link OutOfMemoryError} while there is no memory for the reserve: the next event of UCX would be lost, so
     * UCX is not called.
     */
    public void requireReserve() {
        if (reserve == null) {
            reserve = new byte[RESERVE_BYTES];
        }
    }

    /** Throws a fatal error again, after it was logged, and frees the reserve, so that what has to end can end. */
    public void rethrowIfFatal(Throwable thrown) {
        if (isFatal(thrown)) {
            reserve = null;
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
