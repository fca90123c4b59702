package io.reactorucx.core.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The calls of each message, put and get, bound a second time by hand with numbers for pointers: segments would be
 * allocated wherever the compiler does not eliminate them, and segments of a shared arena are locked for the time of
 * the call. The caller's data is a segment to get that lock.
 */
public final class UcpDirect {

    private static final ValueLayout.OfLong LITTLE_ENDIAN =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** Moves bytes. */
    private static final VarHandle WORD_OF_ARRAY = MethodHandles.byteArrayViewVarHandle(long[].class,
            ByteOrder.nativeOrder());
    /** As much is copied as two words that may overlap: a bulk copy of so few bytes is mostly checks and calls. */
    private static final int MAX_WORDS_BYTES = 2 * Long.BYTES;
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private UcpDirect() {
    }

    private static final class ucp_worker_progress {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(ucx_h.ucp_worker_progress$address(),
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    }

    private static final class ucp_am_send_nbx {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(ucx_h.ucp_am_send_nbx$address(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, ucx_h.C_POINTER, JAVA_LONG,
                        JAVA_LONG));
        static final MethodHandle OF_OWN_MEMORY = Linker.nativeLinker().downcallHandle(ucx_h.ucp_am_send_nbx$address(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                        JAVA_LONG));
    }

    private static final class ucp_tag_send_nbx {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(ucx_h.ucp_tag_send_nbx$address(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ucx_h.C_POINTER, JAVA_LONG, JAVA_LONG, JAVA_LONG));
        static final MethodHandle OF_OWN_MEMORY = Linker.nativeLinker().downcallHandle(ucx_h.ucp_tag_send_nbx$address(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    private static final class ucp_tag_recv_nbx {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(ucx_h.ucp_tag_recv_nbx$address(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ucx_h.C_POINTER, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                        JAVA_LONG));
    }

    private static final class ucp_tag_probe_nb {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(ucx_h.ucp_tag_probe_nb$address(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    private static final class ucp_put_nbx {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(ucx_h.ucp_put_nbx$address(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ucx_h.C_POINTER, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                        JAVA_LONG));
        static final MethodHandle OF_OWN_MEMORY = Linker.nativeLinker().downcallHandle(ucx_h.ucp_put_nbx$address(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    private static final class ucp_get_nbx {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(ucx_h.ucp_get_nbx$address(),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ucx_h.C_POINTER, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                        JAVA_LONG));
    }

    private static final class ucp_request_free {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(ucx_h.ucp_request_free$address(),
                FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    /** {@snippet lang=c : unsigned ucp_worker_progress(ucp_worker_h worker) } */
    public static int ucp_worker_progress(long worker) {
        try {
            return (int) ucp_worker_progress.HANDLE.invokeExact(worker);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c :
     * ucs_status_ptr_t ucp_am_send_nbx(ep, id, header, header_length, buffer, count, const ucp_request_param_t *param)
     * }
     */
    public static long ucp_am_send_nbx(long ep, int id, long header, long headerLength, MemorySegment buffer,
            long count, long param) {
        try {
            return (long) ucp_am_send_nbx.HANDLE.invokeExact(ep, id, header, headerLength, buffer, count, param);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** As above, for memory of the worker's own. */
    public static long ucp_am_send_nbx(long ep, int id, long header, long headerLength, long buffer, long count,
            long param) {
        try {
            return (long) ucp_am_send_nbx.OF_OWN_MEMORY.invokeExact(ep, id, header, headerLength, buffer, count, param);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c :
     * ucs_status_ptr_t ucp_tag_send_nbx(ep, buffer, count, ucp_tag_t tag, const ucp_request_param_t *param)
     * }
     */
    public static long ucp_tag_send_nbx(long ep, MemorySegment buffer, long count, long tag, long param) {
        try {
            return (long) ucp_tag_send_nbx.HANDLE.invokeExact(ep, buffer, count, tag, param);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** As above, for memory of the worker's own. */
    public static long ucp_tag_send_nbx(long ep, long buffer, long count, long tag, long param) {
        try {
            return (long) ucp_tag_send_nbx.OF_OWN_MEMORY.invokeExact(ep, buffer, count, tag, param);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c :
     * ucs_status_ptr_t ucp_tag_recv_nbx(worker, buffer, count, tag, tag_mask, const ucp_request_param_t *param)
     * }
     */
    public static long ucp_tag_recv_nbx(long worker, MemorySegment buffer, long count, long tag, long mask,
            long param) {
        try {
            return (long) ucp_tag_recv_nbx.HANDLE.invokeExact(worker, buffer, count, tag, mask, param);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c :
     * ucp_tag_message_h ucp_tag_probe_nb(worker, tag, tag_mask, int remove, ucp_tag_recv_info_t *info)
     * }
     */
    public static long ucp_tag_probe_nb(long worker, long tag, long mask, int remove, long info) {
        try {
            return (long) ucp_tag_probe_nb.HANDLE.invokeExact(worker, tag, mask, remove, info);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c :
     * ucs_status_ptr_t ucp_put_nbx(ep, buffer, count, remote_addr, ucp_rkey_h rkey, const ucp_request_param_t *param)
     * }
     */
    public static long ucp_put_nbx(long ep, MemorySegment buffer, long count, long remoteAddress, long rkey,
            long param) {
        try {
            return (long) ucp_put_nbx.HANDLE.invokeExact(ep, buffer, count, remoteAddress, rkey, param);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** As above, for memory of the worker's own. */
    public static long ucp_put_nbx(long ep, long buffer, long count, long remoteAddress, long rkey, long param) {
        try {
            return (long) ucp_put_nbx.OF_OWN_MEMORY.invokeExact(ep, buffer, count, remoteAddress, rkey, param);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c :
     * ucs_status_ptr_t ucp_get_nbx(ep, buffer, count, remote_addr, ucp_rkey_h rkey, const ucp_request_param_t *param)
     * }
     */
    public static long ucp_get_nbx(long ep, MemorySegment buffer, long count, long remoteAddress, long rkey,
            long param) {
        try {
            return (long) ucp_get_nbx.HANDLE.invokeExact(ep, buffer, count, remoteAddress, rkey, param);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : void ucp_request_free(void *request) } */
    public static void ucp_request_free(long request) {
        try {
            ucp_request_free.HANDLE.invokeExact(request);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : param->recv_attr } */
    public static long recv_attr(long param) {
        return ALL.get(JAVA_LONG, param + ucp_am_recv_param.recv_attr$offset());
    }

    /** {@snippet lang=c : param->reply_ep } */
    public static long reply_ep(long param) {
        return ALL.get(JAVA_LONG, param + ucp_am_recv_param.reply_ep$offset());
    }

    /** {@snippet lang=c : info->length } */
    public static long length(long info) {
        return ALL.get(JAVA_LONG, info + ucp_tag_recv_info.length$offset());
    }

    /** {@snippet lang=c : info->sender_tag } */
    public static long sender_tag(long info) {
        return ALL.get(JAVA_LONG, info + ucp_tag_recv_info.sender_tag$offset());
    }

    /**
     * {@snippet lang=c :
     * *param = {.op_attr_mask = mask, .flags = flags, .cb.send = cb, .user_data = userData, .memory_type = memoryType}
     * }
     */
    public static void fill(long param, int mask, int flags, long cb, long userData, int memoryType) {
        ALL.set(JAVA_INT, param + ucp_request_param_t.op_attr_mask$offset(), mask);
        ALL.set(JAVA_INT, param + ucp_request_param_t.flags$offset(), flags);
        ALL.set(JAVA_LONG, param + ucp_request_param_t.cb$offset(), cb);
        ALL.set(JAVA_LONG, param + ucp_request_param_t.user_data$offset(), userData);
        ALL.set(JAVA_INT, param + ucp_request_param_t.memory_type$offset(), memoryType);
    }

    /** {@snippet lang=c : param->user_data = userData } */
    public static void user_data(long param, long userData) {
        ALL.set(JAVA_LONG, param + ucp_request_param_t.user_data$offset(), userData);
    }

    /** {@snippet lang=c : param->memh = memh } */
    public static void memh(long param, long memh) {
        ALL.set(JAVA_LONG, param + ucp_request_param_t.memh$offset(), memh);
    }

    /** {@snippet lang=c : memcpy(to + offset, address, bytes) } */
    public static void copy(long address, byte[] to, int offset, int bytes) {
        if (bytes >= Long.BYTES && bytes <= MAX_WORDS_BYTES) {
            int last = bytes - Long.BYTES;
            WORD_OF_ARRAY.set(to, offset, ALL.get(JAVA_LONG_UNALIGNED, address));
            if (last > 0) {
                WORD_OF_ARRAY.set(to, offset + last, ALL.get(JAVA_LONG_UNALIGNED, address + last));
            }
        } else {
            MemorySegment.copy(ALL, JAVA_BYTE, address, to, offset, bytes);
        }
    }

    /** {@snippet lang=c : memcpy(to, address, bytes) } */
    public static void copy(long address, MemorySegment to, int bytes) {
        MemorySegment.copy(ALL, address, to, 0, bytes);
    }

    /** {@snippet lang=c : memset(address, 0, bytes) } */
    public static void clear(long address, long bytes) {
        for (long i = 0; i < bytes; i++) {
            ALL.set(JAVA_BYTE, address + i, (byte) 0);
        }
    }

    /** {@snippet lang=c : memcpy(address, from, sizeof(from)) } */
    public static void copy(MemorySegment from, long address) {
        long bytes = from.byteSize();
        if (bytes >= Long.BYTES && bytes <= MAX_WORDS_BYTES) {
            long last = bytes - Long.BYTES;
            ALL.set(JAVA_LONG_UNALIGNED, address, from.get(JAVA_LONG_UNALIGNED, 0));
            if (last > 0) {
                ALL.set(JAVA_LONG_UNALIGNED, address + last, from.get(JAVA_LONG_UNALIGNED, last));
            }
        } else {
            MemorySegment.copy(from, 0, ALL, address, bytes);
        }
    }

    /** {@return memory of a number of bytes at an address} */
    public static MemorySegment segment(long address, long bytes) {
        return ALL.asSlice(address, bytes);
    }

    /** {@return up to 8 bytes, the first one lowest} */
    public static long word(long address, int bytes) {
        if (bytes == Long.BYTES) {
            return ALL.get(LITTLE_ENDIAN, address);
        }
        long word = 0;
        for (int i = 0; i < bytes; i++) {
            word |= (ALL.get(JAVA_BYTE, address + i) & 0xffL) << (i << 3);
        }
        return word;
    }

    static RuntimeException rethrow(Throwable t) {
        if (t instanceof RuntimeException e) {
            return e;
        }
        throw t instanceof Error e ? e : new AssertionError("a downcall declares no exception", t);
    }
}
