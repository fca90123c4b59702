package io.reactorucx.core.internal;

import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Collects what a C function prints to a {@code FILE*} ({@code open_memstream}). */
public final class NativeText {

    private NativeText() {
    }

    public static String print(Consumer<MemorySegment> printer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment textPointer = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment stream = ucx_h.open_memstream(textPointer, size);
            if (stream.address() == 0) {
                throw new OutOfMemoryError("open_memstream: the C library has no memory for the text");
            }
            try {
                printer.accept(stream);
            } finally {
                ucx_h.fclose(stream);
            }
            MemorySegment text = textPointer.get(ValueLayout.ADDRESS, 0);
            byte[] bytes = text.reinterpret(size.get(ValueLayout.JAVA_LONG, 0)).toArray(ValueLayout.JAVA_BYTE);
            ucx_h.free(text);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
