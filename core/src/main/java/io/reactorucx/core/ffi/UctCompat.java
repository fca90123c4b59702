package io.reactorucx.core.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Symbols of libucs that memory domains need beside the generated bindings, bound by hand in the same shape. Each one
 * is bound on its first call.
 */
public final class UctCompat {

    private UctCompat() {
    }

    private static MethodHandle bind(String symbol, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow(symbol), descriptor);
    }

    private static final class ucs_config_parser_print_all_opts {
        static final MethodHandle HANDLE = bind("ucs_config_parser_print_all_opts",
                FunctionDescriptor.ofVoid(ucx_h.C_POINTER, ucx_h.C_POINTER, JAVA_INT, ucx_h.C_POINTER,
                        ucx_h.C_POINTER));
    }

    /**
     * Prints the settings in a list of tables. Up to UCX 1.19 there is no filter, which those versions then do not look
     * at.
     *
     * {@snippet lang=c :
     * void ucs_config_parser_print_all_opts(FILE *stream, const char *prefix, ucs_config_print_flags_t flags,
     *                                       ucs_list_link_t *config_list, const char *filter)
     * }
     */
    public static void ucs_config_parser_print_all_opts(MemorySegment stream, MemorySegment prefix, int flags,
            MemorySegment configList) {
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
