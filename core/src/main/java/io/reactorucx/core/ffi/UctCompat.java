package io.reactorucx.core.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Symbols of the C library and of libucs that memory domains need beside the generated bindings, bound by hand in the same shape.
 * Each one is bound on its first call.
 */
public final class UctCompat {

    /** {@snippet lang=c : #define PROT_NONE 0x0 } */
    public static final int PROT_NONE = 0;
    /** {@snippet lang=c : #define MAP_PRIVATE 0x02 } */
    public static final int MAP_PRIVATE = 0x02;
    /** {@snippet lang=c : #define MAP_ANONYMOUS 0x20 } */
    public static final int MAP_ANONYMOUS = 0x20;
    /** {@snippet lang=c : #define MAP_NORESERVE 0x4000 } */
    public static final int MAP_NORESERVE = 0x4000;
    /** {@snippet lang=c : #define MAP_FIXED_NOREPLACE 0x100000 } */
    public static final int MAP_FIXED_NOREPLACE = 0x100000;

    private UctCompat() {
    }

    private static MethodHandle bind(String symbol, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow(symbol), descriptor);
    }

    private static final class mmap {
        static final MethodHandle HANDLE = bind("mmap",
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    }

    private static final class munmap {
        static final MethodHandle HANDLE = bind("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    private static final class close {
        static final MethodHandle HANDLE = bind("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    private static final class getpagesize {
        static final MethodHandle HANDLE = bind("getpagesize", FunctionDescriptor.of(JAVA_INT));
    }

    private static final class ucs_config_parser_print_all_opts {
        static final MethodHandle HANDLE = bind("ucs_config_parser_print_all_opts",
                FunctionDescriptor.ofVoid(ucx_h.C_POINTER, ucx_h.C_POINTER, JAVA_INT, ucx_h.C_POINTER, ucx_h.C_POINTER));
    }

    /** {@snippet lang=c : void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset) } */
    public static long mmap(long address, long length, int protection, int flags, int fd, long offset) {
        try {
            return (long) mmap.HANDLE.invokeExact(address, length, protection, flags, fd, offset);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int munmap(void *addr, size_t length) } */
    public static int munmap(long address, long length) {
        try {
            return (int) munmap.HANDLE.invokeExact(address, length);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int close(int fd) } */
    public static int close(int fd) {
        try {
            return (int) close.HANDLE.invokeExact(fd);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int getpagesize(void) } */
    public static int getpagesize() {
        try {
            return (int) getpagesize.HANDLE.invokeExact();
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * Prints the settings in a list of tables. Up to UCX 1.19 there is no filter, which those versions then do not look at.
     *
     * {@snippet lang=c :
     * void ucs_config_parser_print_all_opts(FILE *stream, const char *prefix, ucs_config_print_flags_t flags,
     *                                       ucs_list_link_t *config_list, const char *filter)
     * }
     */
    public static void ucs_config_parser_print_all_opts(MemorySegment stream, MemorySegment prefix, int flags, MemorySegment configList) {
        try {
            ucs_config_parser_print_all_opts.HANDLE.invokeExact(stream, prefix, flags, configList, MemorySegment.NULL);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_list_link_t ucs_config_global_list } */
    public static MemorySegment ucs_config_global_list() {
        return ucx_h.SYMBOL_LOOKUP.findOrThrow("ucs_config_global_list");
    }

    private static RuntimeException rethrow(Throwable t) {
        if (t instanceof RuntimeException e) {
            return e;
        }
        throw t instanceof Error e ? e : new AssertionError("a downcall declares no exception", t);
    }
}
