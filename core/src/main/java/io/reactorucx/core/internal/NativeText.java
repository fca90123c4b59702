package io.reactorucx.core.internal;

import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Collects what a C function prints to a {@code FILE*} ({@code fmemopen}).
 *
 * <p>The memory is this process's own: what the C library allocated would have to go back to the allocator that it came
 * from, which is another one than this library finds where one was preloaded.
 */
public final class NativeText {

    private static final long FIRST_BYTES = 64 << 10;
    private static final long MAX_BYTES = 64 << 20;

    private NativeText() {
    }

    /** Calls the printer once, and again with more memory as long as its text does not fit. */
    public static String print(Consumer<MemorySegment> printer) {
        for (long bytes = FIRST_BYTES; bytes <= MAX_BYTES; bytes *= Long.BYTES) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment text = arena.allocate(bytes);
                if (fits(text, printer, arena)) {
                    return text.getString(0, StandardCharsets.UTF_8);
                }
            }
        }
        throw new IllegalStateException("a text of UCX of more than " + MAX_BYTES + " bytes");
    }

    /** Prints, and returns whether a zero is left behind the text. */
    private static boolean fits(MemorySegment text, Consumer<MemorySegment> printer, Arena arena) {
        MemorySegment stream = UcpCompat.fmemopen(text, arena.allocateFrom("w"));
        if (stream.address() == 0) {
            throw new OutOfMemoryError("fmemopen: the C library has no memory for the text");
        }
        try {
            printer.accept(stream);
        } finally {
            ucx_h.fclose(stream);
        }
        long end = text.byteSize() - 1;
        // The C library overwrites the last byte with a zero when the text does not fit.
        return text.get(ValueLayout.JAVA_BYTE, end - 1) == 0;
    }
}
