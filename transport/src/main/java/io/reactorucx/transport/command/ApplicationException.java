package io.reactorucx.transport.command;

/**
 * Stands for what the application's code threw, where that cannot travel or be logged itself: an error of the JVM, or
 * one whose own code throws when its message is read.
 *
 * <p>Thread: any.
 */
public final class ApplicationException extends IllegalStateException {

    private static final long serialVersionUID = 1;

    /** Causes that are looked at; a chain may be a ring. */
    private static final int MAX_CAUSES = 100;

    private final Throwable thrown;

    public ApplicationException(Throwable thrown) {
        this(thrown, isPrintable(thrown));
    }

    private ApplicationException(Throwable thrown, boolean printable) {
        super("the application threw " + (printable ? thrown
                : thrown.getClass().getName() + ", whose message cannot be read"), printable ? thrown : null);
        this.thrown = thrown;
    }

    /** Returns what is logged for a throwable: itself, unless its own code throws then. */
    public static Throwable printable(Throwable thrown) {
        return isPrintable(thrown) ? thrown : new ApplicationException(thrown);
    }

    /** Returns whether the messages of a throwable and of its causes can be had; subclasses override the methods. */
    public static boolean isPrintable(Throwable thrown) {
        try {
            Throwable each = thrown;
            for (int depth = 0; each != null && depth < MAX_CAUSES; depth++) {
                String unused = each.getMessage() + each;
                each = each.getCause();
            }
            return true;
        } catch (Throwable t) {
            JvmErrors.rethrowIfOutOfMemory(t);
            return false;
        }
    }

    /** Returns what was thrown. */
    public Throwable thrown() {
        return thrown;
    }
}
