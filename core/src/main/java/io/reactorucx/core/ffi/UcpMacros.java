package io.reactorucx.core.ffi;

/**
 * What UCX's headers define as C macros or static inline functions, which jextract cannot see.
 * Formulas: {@code ucp_def.h}, {@code ucs/type/status.h}.
 */
public final class UcpMacros {

    private static final long MAX_STATUS = 100;
    private static final byte UCS_INPROGRESS = 1;

    private UcpMacros() {
    }

    /**
     * {@snippet lang=c :
     * #define ucp_dt_make_contig(_elem_size) \
     *     (((ucp_datatype_t)(_elem_size) << UCP_DATATYPE_SHIFT) | UCP_DATATYPE_CONTIG)
     * }
     *
     * @param elementSize size of one element in bytes
     * @return the datatype
     */
    public static long contiguous(long elementSize) {
        return elementSize << 3;
    }

    /**
     * {@snippet lang=c : #define UCS_PTR_IS_ERR(_ptr) (((uintptr_t)(_ptr)) >= ((uintptr_t)UCS_ERR_LAST)) }
     *
     * @param statusPointer a {@code ucs_status_ptr_t}
     * @return whether it carries an error
     */
    public static boolean isError(long statusPointer) {
        return Long.compareUnsigned(statusPointer, -MAX_STATUS) >= 0;
    }

    /**
     * {@snippet lang=c :
     * #define UCS_PTR_STATUS(_ptr) (UCS_PTR_IS_PTR(_ptr) ? UCS_INPROGRESS : (ucs_status_t)(intptr_t)(_ptr))
     * }
     *
     * @param statusPointer a {@code ucs_status_ptr_t}
     * @return 0 for done, 1 for a request in flight, below 0 for an error
     */
    public static byte status(long statusPointer) {
        return statusPointer == 0 || isError(statusPointer) ? (byte) statusPointer : UCS_INPROGRESS;
    }
}
