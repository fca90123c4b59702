package io.reactorucx.engine;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether the Java heap has room for what the end of something needs. An end that lacks memory in the middle of its
 * signals loses the others for good, so it waits for memory before it begins.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
public final class HeapRoom {

    /** How long an end waits for memory at most. */
    static final long MAX_WAIT_NANOS = TimeUnit.MINUTES.toNanos(1);

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

    /** Blocks until a MiB of the heap can be had, for a minute at most. Only a thread that ends may wait here. */
    public static void await() {
        long begin = System.nanoTime();
        while (!isThere() && System.nanoTime() - begin < MAX_WAIT_NANOS) {
            // Each try costs the JVM a collection; the threads that hold the memory get the processor first.
            Thread.yield();
        }
    }
}
