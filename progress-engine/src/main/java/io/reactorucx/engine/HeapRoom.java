package io.reactorucx.engine;

import org.jspecify.annotations.Nullable;

/**
 * Whether the Java heap has room for what the end of something needs. An end that lacks memory in the middle of its
 * signals loses the others for good, so it waits for memory before it begins.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
public final class HeapRoom {

    private static final int BYTES = 1 << 20;

    /** A field, so that no compiler leaves the allocation out. */
    private static volatile byte @Nullable [] tried;

    private HeapRoom() {
    }

    /** {@return whether a MiB of the heap can be had now; a try that fails costs the JVM a collection} */
    public static boolean isThere() {
        try {
            tried = new byte[BYTES];
            tried = null;
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }
}
