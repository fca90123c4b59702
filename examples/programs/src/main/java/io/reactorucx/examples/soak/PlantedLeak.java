package io.reactorucx.examples.soak;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Memory that is never freed, by which a test sees that the soak finds leaks; with --netty a buffer instead. */
enum PlantedLeak {

    /** From the C library, in pieces. */
    MALLOC {
        @Override
        MemorySegment piece() throws Throwable {
            MethodHandle malloc = LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("malloc"),
                    FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
            return (MemorySegment) malloc.invokeExact(PIECE_BYTES);
        }
    },
    /** From the kernel. */
    MMAP {
        @Override
        MemorySegment piece() throws Throwable {
            MethodHandle mmap = LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("mmap"),
                    FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
            return (MemorySegment) mmap.invokeExact(MemorySegment.NULL, PIECE_BYTES, READ_WRITE, PRIVATE_ANONYMOUS, -1,
                    0L);
        }
    };

    static final long BYTES = 16 << 20;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final long PIECE_BYTES = 64 << 10;
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;

    abstract MemorySegment piece() throws Throwable;

    /** Leaks {@link #BYTES}, in pages that are written to. */
    void plant() {
        try {
            for (long bytes = 0; bytes < BYTES; bytes += PIECE_BYTES) {
                piece().reinterpret(PIECE_BYTES, Arena.global(), null).fill((byte) 1);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("no leak could be planted", e);
        }
    }
}
