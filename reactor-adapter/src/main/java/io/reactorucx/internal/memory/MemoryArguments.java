package io.reactorucx.internal.memory;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import io.reactorucx.internal.frame.MemoryFrame;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Checks of memory that UCX will use after the post. Thread: the one that posts the operation, as for the checks of the
 * core.
 */
final class MemoryArguments {

    private MemoryArguments() {
    }

    static void checkSource(MemorySegment source, @Nullable UcpMemory registration) {
        check(source, "source");
        if (registration == null && source.byteSize() + MemoryFrame.Write.BYTES > UcpEndpoint.MAX_COPIED_BYTES) {
            UcxArena.requireHeld(source, "source");
        }
    }

    static void checkDestination(MemorySegment destination) {
        check(destination, "destination");
        UcxArena.requireHeld(destination, "destination");
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("destination: " + destination.byteSize()
                    + " bytes that are read-only, and would be written");
        }
    }

    private static void check(MemorySegment segment, String name) {
        if (segment.byteSize() == 0) {
            return;
        }
        if (!segment.isNative()) {
            throw new IllegalArgumentException(name + ": " + segment.byteSize()
                    + " bytes on the Java heap; UCX keeps the address after"
                    + " the call, use native memory (Arena.ofAuto, UcxArena or a pooled buffer)");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalArgumentException(name + ": the arena of these " + segment.byteSize()
                    + " bytes is closed");
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new IllegalArgumentException(name + ": " + segment.byteSize()
                    + " bytes of another thread's confined arena; use a"
                    + " UcxArena or an automatic arena");
        }
    }
}
