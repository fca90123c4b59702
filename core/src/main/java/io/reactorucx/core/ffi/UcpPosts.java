package io.reactorucx.core.ffi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls that post an operation, as they are generated, but with a number for the status pointer that they return.
 * Java would make a segment of it after UCX has taken the operation: where the heap is full at that moment, the call
 * would throw as if UCX had refused an operation that is in flight.
 */
public final class UcpPosts {

    private UcpPosts() {
    }

    private static final class ucp_worker_flush_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_worker_flush_nbx$address(),
                ucx_h.ucp_worker_flush_nbx$descriptor());
    }

    private static final class ucp_ep_flush_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_ep_flush_nbx$address(),
                ucx_h.ucp_ep_flush_nbx$descriptor());
    }

    private static final class ucp_ep_close_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_ep_close_nbx$address(),
                ucx_h.ucp_ep_close_nbx$descriptor());
    }

    private static final class ucp_am_send_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_am_send_nbx$address(),
                ucx_h.ucp_am_send_nbx$descriptor());
    }

    private static final class ucp_am_recv_data_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_am_recv_data_nbx$address(),
                ucx_h.ucp_am_recv_data_nbx$descriptor());
    }

    private static final class ucp_tag_send_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_tag_send_nbx$address(),
                ucx_h.ucp_tag_send_nbx$descriptor());
    }

    private static final class ucp_tag_send_sync_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_tag_send_sync_nbx$address(),
                ucx_h.ucp_tag_send_sync_nbx$descriptor());
    }

    private static final class ucp_tag_recv_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_tag_recv_nbx$address(),
                ucx_h.ucp_tag_recv_nbx$descriptor());
    }

    private static final class ucp_tag_msg_recv_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_tag_msg_recv_nbx$address(),
                ucx_h.ucp_tag_msg_recv_nbx$descriptor());
    }

    private static final class ucp_stream_send_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_stream_send_nbx$address(),
                ucx_h.ucp_stream_send_nbx$descriptor());
    }

    private static final class ucp_stream_recv_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_stream_recv_nbx$address(),
                ucx_h.ucp_stream_recv_nbx$descriptor());
    }

    private static final class ucp_atomic_op_nbx {
        static final MethodHandle HANDLE = handle(ucx_h.ucp_atomic_op_nbx$address(),
                ucx_h.ucp_atomic_op_nbx$descriptor());
    }

    private static MethodHandle handle(MemorySegment address, FunctionDescriptor generated) {
        return Linker.nativeLinker().downcallHandle(address, generated.changeReturnLayout(JAVA_LONG));
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_worker_flush_nbx(worker, param) } */
    public static long ucp_worker_flush_nbx(MemorySegment worker, MemorySegment param) {
        try {
            return (long) ucp_worker_flush_nbx.HANDLE.invokeExact(worker, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_ep_flush_nbx(ep, param) } */
    public static long ucp_ep_flush_nbx(MemorySegment ep, MemorySegment param) {
        try {
            return (long) ucp_ep_flush_nbx.HANDLE.invokeExact(ep, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_ep_close_nbx(ep, param) } */
    public static long ucp_ep_close_nbx(MemorySegment ep, MemorySegment param) {
        try {
            return (long) ucp_ep_close_nbx.HANDLE.invokeExact(ep, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_am_send_nbx(ep, id, header, headerLength, buffer, count, param) } */
    public static long ucp_am_send_nbx(MemorySegment ep, int id, MemorySegment header, long headerLength,
            MemorySegment buffer, long count, MemorySegment param) {
        try {
            return (long) ucp_am_send_nbx.HANDLE.invokeExact(ep, id, header, headerLength, buffer, count, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_am_recv_data_nbx(worker, data, buffer, count, param) } */
    public static long ucp_am_recv_data_nbx(MemorySegment worker, MemorySegment data, MemorySegment buffer, long count,
            MemorySegment param) {
        try {
            return (long) ucp_am_recv_data_nbx.HANDLE.invokeExact(worker, data, buffer, count, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_tag_send_nbx(ep, buffer, count, tag, param) } */
    public static long ucp_tag_send_nbx(MemorySegment ep, MemorySegment buffer, long count, long tag,
            MemorySegment param) {
        try {
            return (long) ucp_tag_send_nbx.HANDLE.invokeExact(ep, buffer, count, tag, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_tag_send_sync_nbx(ep, buffer, count, tag, param) } */
    public static long ucp_tag_send_sync_nbx(MemorySegment ep, MemorySegment buffer, long count, long tag,
            MemorySegment param) {
        try {
            return (long) ucp_tag_send_sync_nbx.HANDLE.invokeExact(ep, buffer, count, tag, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_tag_recv_nbx(worker, buffer, count, tag, mask, param) } */
    public static long ucp_tag_recv_nbx(MemorySegment worker, MemorySegment buffer, long count, long tag, long mask,
            MemorySegment param) {
        try {
            return (long) ucp_tag_recv_nbx.HANDLE.invokeExact(worker, buffer, count, tag, mask, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_tag_msg_recv_nbx(worker, buffer, count, message, param) } */
    public static long ucp_tag_msg_recv_nbx(MemorySegment worker, MemorySegment buffer, long count,
            MemorySegment message, MemorySegment param) {
        try {
            return (long) ucp_tag_msg_recv_nbx.HANDLE.invokeExact(worker, buffer, count, message, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_stream_send_nbx(ep, buffer, count, param) } */
    public static long ucp_stream_send_nbx(MemorySegment ep, MemorySegment buffer, long count, MemorySegment param) {
        try {
            return (long) ucp_stream_send_nbx.HANDLE.invokeExact(ep, buffer, count, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /** {@snippet lang=c : ucs_status_ptr_t ucp_stream_recv_nbx(ep, buffer, count, length, param) } */
    public static long ucp_stream_recv_nbx(MemorySegment ep, MemorySegment buffer, long count, MemorySegment length,
            MemorySegment param) {
        try {
            return (long) ucp_stream_recv_nbx.HANDLE.invokeExact(ep, buffer, count, length, param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }

    /**
     * {@snippet lang=c :
     * ucs_status_ptr_t ucp_atomic_op_nbx(ep, operation, buffer, count, remoteAddress, rkey, param)
     * }
     */
    public static long ucp_atomic_op_nbx(MemorySegment ep, int operation, MemorySegment buffer, long count,
            long remoteAddress, MemorySegment rkey, MemorySegment param) {
        try {
            return (long) ucp_atomic_op_nbx.HANDLE.invokeExact(ep, operation, buffer, count, remoteAddress, rkey,
                    param);
        } catch (Throwable t) {
            throw UcpDirect.rethrow(t);
        }
    }
}
